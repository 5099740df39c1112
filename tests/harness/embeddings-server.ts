// Starts the process with a real embedding model, and makes it fail in the ways that a test asks for.
import { fork } from 'node:child_process'

/** How the endpoint answers; without any of these it answers as it should. */
export interface Behaviour {
  /** It does not listen. */
  isAway?: boolean
  delayMs?: number
  status?: number
  /** The `Location` header. */
  location?: string
  /** Requests with a text that contains this are answered with 400. */
  refuses?: string
  /** The body of the answer; `huge` for one of 20 MB. */
  raw?: string
  /** What is wrong with the first vector, or with the list. */
  change?: 'nan' | 'null' | 'infinity' | 'zeros' | 'fewer'
  /** Vectors have only so many numbers. */
  keeps?: number
}

export interface ReceivedRequest {
  path: string | undefined
  authorization: string | undefined
  model: string
  input: string[]
}

export interface EmbeddingsServer {
  /** For EMBEDDINGS_URL. */
  url: string
  /** Every request so far. */
  requests: ReceivedRequest[]
  behave(behaviour: Behaviour): Promise<void>
  close(): Promise<void>
}

/** The names of its models: vectors of 512 and of 256 numbers. */
export const MODEL = 'use-lite'
export const SHORT_MODEL = 'use-lite-256'

export async function startEmbeddingsServer(): Promise<EmbeddingsServer> {
  const child = fork(new URL('./embeddings-process.ts', import.meta.url), { stdio: 'inherit' })
  const requests: ReceivedRequest[] = []
  let onReady: (port: number) => void = () => {}
  child.on('message', (message: ReceivedRequest | { ready: number }) => {
    if ('ready' in message) onReady(message.ready)
    else requests.push(message)
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const behave = (behaviour: Behaviour): Promise<number> =>
    new Promise((resolve) => {
      onReady = resolve
      child.send(behaviour)
    })
  const port = await behave({})
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async behave(behaviour) {
      await behave(behaviour)
    },
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
