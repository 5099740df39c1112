// One client with many connections, in a process of its own: each connection sends its next request as soon as the answer to the
// last one is complete. It uses plain sockets, because a client library would spend more time on an answer than the server does.
import { connect, type Socket } from 'node:net'
import { CASES, type FloodClient } from './isolation-cases.ts'

export interface Flood {
  origin: string
  /** The loopback address that the client connects from. */
  from: string
  connections: number
  /** The name of the case. The flood process makes its requests itself, because they may be large. */
  name: string
  client: FloodClient
}

/** The number of answers by status; `closed` counts connections that ended without an answer. */
export type Answers = Record<string, number>

if (process.send) {
  let stop: (() => Answers) | undefined
  process.on('message', (message: Flood | 'stop') => {
    if (message === 'stop') process.send!({ answers: stop!() })
    else {
      stop = flood(message)
      process.send!('flooding')
    }
  })
}

function flood({ origin, from, connections, name, client }: Flood): () => Answers {
  const { hostname, port } = new URL(origin)
  const { requests } = CASES.find((one) => one.name === name)!
  const bytes = requests(client).map((request) => Buffer.from(request, 'latin1'))
  const answers: Answers = {}
  const sockets = new Set<Socket>()
  let next = 0
  let stopped = false

  const count = (what: string) => {
    answers[what] = (answers[what] ?? 0) + 1
  }

  function open(): void {
    if (stopped) return
    const socket = connect({ port: Number(port), host: hostname, localAddress: from, noDelay: true })
    sockets.add(socket)
    let isAnswered = false
    const send = () => {
      isAnswered = false
      socket.write(bytes[next++ % bytes.length]!)
    }
    const read = answerReader((status) => {
      isAnswered = true
      count(status)
      if (!socket.destroyed && socket.writable) send()
    })
    socket.on('connect', send)
    socket.on('data', read)
    // The close handler below counts a connection that the server closed.
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      if (!isAnswered) count('closed')
      setImmediate(open)
    })
  }

  for (let i = 0; i < connections; i++) open()
  return () => {
    stopped = true
    for (const socket of sockets) socket.destroy()
    return answers
  }
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = '0\r\n\r\n'

/** Calls `done` with the status when an answer is complete. */
function answerReader(done: (status: string) => void): (bytes: Buffer) => void {
  let head: Buffer | null = null
  let status = ''
  /** Bytes of the body that have not arrived yet; null for a chunked body. */
  let left: number | null = 0
  return (bytes) => {
    let body = bytes
    if (status === '') {
      head = head ? Buffer.concat([head, bytes]) : bytes
      const end = head.indexOf(HEAD_END)
      if (end === -1) return
      const text = head.toString('latin1', 0, end)
      body = head.subarray(end + 4)
      head = null
      status = text.slice(9, 12)
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
      const hasNone = status === '204' || status === '304'
      left = hasNone ? 0 : length !== undefined ? Number(length) : /\r\ntransfer-encoding/i.test(text) ? null : 0
    }
    if (left !== null) left -= body.length
    const isWhole = left === null ? body.toString('latin1', Math.max(0, body.length - 5)) === LAST_CHUNK : left <= 0
    if (!isWhole) return
    const answered = status
    status = ''
    done(answered)
  }
}
