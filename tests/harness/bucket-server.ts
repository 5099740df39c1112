// A bucket on loopback that stores and lists objects as S3 does, and can hang, drip, fail or answer without end.
import { createServer, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

type BucketMood = 'work' | 'hang' | 'drip' | 'fail' | 'huge' | 'entities' | 'same page'

export interface BucketServer {
  endpoint: string
  mood: BucketMood
  /** Method and object of every request. */
  requests: string[]
  objects: Map<string, Buffer>
  /** How many answers are still being written. */
  open(): number
  close(): Promise<void>
}

export async function startBucket(): Promise<BucketServer> {
  const answering = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bucket')
    const name = decodeURIComponent(url.pathname.split('/').slice(2).join('/'))
    state.requests.push(`${request.method} ${name}`)
    answering.add(response)
    response.on('close', () => answering.delete(response))
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(state, request.method ?? '', name, Buffer.concat(chunks), response))
  })
  const { url, close } = await listening(server)
  const state: BucketServer = {
    endpoint: url,
    mood: 'work',
    requests: [],
    objects: new Map(),
    open: () => answering.size,
    close,
  }
  return state
}

const LIST_START = '<?xml version="1.0"?><ListBucketResult><Name>pictures</Name>'

function answer(state: BucketServer, method: string, name: string, body: Buffer, response: ServerResponse): void {
  const { mood, objects } = state
  const isList = name === ''
  if (mood === 'hang') return
  if (mood === 'fail')
    return void response.writeHead(500, { 'content-type': 'application/xml' }).end('<Error><Code>Oops</Code></Error>')
  if (mood === 'drip') {
    response.writeHead(200, { 'last-modified': new Date().toUTCString() })
    if (isList) response.write(LIST_START)
    const timer = setInterval(() => response.write('x'), 20)
    return void response.on('close', () => clearInterval(timer))
  }
  if (mood === 'huge') return void writeEndlessly(response, isList)
  if (mood === 'entities') {
    const levels = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('')
    const types = `<!DOCTYPE x [<!ENTITY e0 "eeeeeeeeee">${levels}]>`
    return void response.end(`<?xml version="1.0"?>${types}<ListBucketResult><Name>&e9;</Name></ListBucketResult>`)
  }
  if (isList) {
    const contents = [...objects.keys()].map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
    const next = mood === 'same page' ? '<NextContinuationToken>again</NextContinuationToken>' : ''
    return void response.end(`${LIST_START}${next}${contents}</ListBucketResult>`)
  }
  if (method === 'PUT') {
    objects.set(name, body)
    return void response.end()
  }
  if (method === 'DELETE') {
    objects.delete(name)
    return void response.writeHead(204).end()
  }
  const found = objects.get(name)
  if (!found) return void response.writeHead(404).end(method === 'GET' ? '<Error><Code>NoSuchKey</Code></Error>' : '')
  response.writeHead(200, { 'content-length': found.length, 'last-modified': new Date().toUTCString() })
  response.end(method === 'GET' ? found : undefined)
}

/** 200 MB: an object of zeros, or a list of names. */
function writeEndlessly(response: ServerResponse, isList: boolean): void {
  const piece = isList
    ? Buffer.from(`<Contents><Key>${'a'.repeat(40)}.png</Key></Contents>`.repeat(1000))
    : Buffer.alloc(2 ** 16)
  if (isList) response.write(LIST_START)
  let left = 200e6
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length
      if (!response.write(piece)) return void response.once('drain', more)
    }
    response.end()
  }
  more()
}
