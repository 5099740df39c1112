// Sends requests over plain sockets while a service is told to stop, so that the fate of each request is known: answered, refused before a
// byte of it was sent, or cut off. Used by a test and by bench/stops.ts.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Outcome = 'answered' | 'refused' | 'cut off'

export interface SentRequest {
  kind: 'new' | 'kept alive' | 'at a fixed rate'
  outcome: Outcome
  /** Milliseconds between the signal and the start of the request; negative before the signal. */
  at: number
  why: string
}

interface Options {
  /** How many connections are reused, and how many loops open a new connection for each request. */
  kept: number
  fresh: number
  /** New connections a second that do not wait for earlier ones. */
  rate: number
  path: string
  key: string
}

/** Sends requests until nothing listens any more. The caller sends the signal and passes its time to `ended`. */
export function startLoad(origin: string, { kept, fresh, rate, path, key }: Options) {
  const { hostname, port } = new URL(origin)
  const text = `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${key}\r\n`
  const sent: (Omit<SentRequest, 'at'> & { begun: number })[] = []
  let going = true
  const note = (kind: SentRequest['kind'], begun: number, outcome: Outcome, why = '') => {
    sent.push({ kind, begun, outcome, why })
  }

  /** null: nothing listens at the port. */
  const open = () =>
    new Promise<Socket | null>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      socket.once('connect', () => resolve(socket))
      // An error between two requests shows in the state of the socket.
      socket.on('error', () => resolve(null))
    })

  async function freshLoop(): Promise<void> {
    while (going) {
      const begun = performance.now()
      const socket = await open()
      if (!socket) return note('new', begun, 'refused')
      const { whole, why } = await ask(socket, `${text}connection: close\r\n\r\n`)
      socket.destroy()
      note('new', begun, whole ? 'answered' : 'cut off', why)
      await sleep(Math.random() * 4)
    }
  }

  async function keptLoop(): Promise<void> {
    let socket: Socket | null = null
    while (going) {
      const begun = performance.now()
      // As every client does, notices a connection that the service closed cleanly before it is used again.
      if (!socket || socket.destroyed || socket.readableEnded || !socket.writable) socket = await open()
      if (!socket) return note('kept alive', begun, 'refused')
      const { whole, closes, why } = await ask(socket, `${text}\r\n`)
      note('kept alive', begun, whole ? 'answered' : 'cut off', why)
      if (!whole || closes) {
        socket.destroy()
        socket = null
      }
      await sleep(Math.random() * 20)
    }
    socket?.destroy()
  }

  async function rateLoop(): Promise<void> {
    const each = 1_000 / rate
    const under = new Set<Promise<void>>()
    let refused = 0
    for (let next = performance.now(); going && refused < 20; next += each) {
      const wait = next - performance.now()
      if (wait > 0) await sleep(wait)
      const one: Promise<void> = (async () => {
        const begun = performance.now()
        const socket = await open()
        if (!socket) {
          refused++
          return note('at a fixed rate', begun, 'refused')
        }
        const { whole, why } = await ask(socket, `${text}connection: close\r\n\r\n`)
        socket.destroy()
        note('at a fixed rate', begun, whole ? 'answered' : 'cut off', why)
      })().finally(() => under.delete(one))
      under.add(one)
    }
    await Promise.all(under)
  }

  const loops = [
    ...Array.from({ length: fresh }, freshLoop),
    ...Array.from({ length: kept }, keptLoop),
    ...(rate > 0 ? [rateLoop()] : []),
  ]
  return {
    count: () => sent.length,
    /** All requests that were sent, once every loop was refused or has stopped. */
    async ended(signalledAt: number): Promise<SentRequest[]> {
      await Promise.race([Promise.all(loops), sleep(15_000)])
      going = false
      return sent.map(({ begun, ...one }) => ({ ...one, at: begun - signalledAt }))
    },
  }
}

interface Answer {
  whole: boolean
  /** The service announces that this is the last answer on the connection. */
  closes: boolean
  why: string
}

const ANSWER_TIMEOUT_MS = 10_000

/** Sends one request and reads its answer, which has a Content-Length. */
function ask(socket: Socket, request: string): Promise<Answer> {
  return new Promise((resolve) => {
    let text = ''
    const finish = (whole: boolean, why = '') => {
      clearTimeout(timer)
      socket.off('data', read).off('error', fail).off('close', cut).off('end', cut)
      resolve({ whole, closes: /\r\nconnection: close\r\n/i.test(text.split('\r\n\r\n')[0]!), why })
    }
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1]
      if (end !== -1 && length !== undefined && text.length >= end + 4 + Number(length)) finish(true)
    }
    const fail = (error: NodeJS.ErrnoException) => finish(false, `${error.code} ${text.length}`)
    const cut = () => finish(false, `closed ${text.length}`)
    const timer = setTimeout(() => finish(false, 'no answer'), ANSWER_TIMEOUT_MS)
    socket.on('data', read).once('error', fail).once('close', cut).once('end', cut)
    if (socket.destroyed) return cut()
    socket.write(request)
  })
}
