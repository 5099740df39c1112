// Work in threads that are kept for some time; platform/kept-threads.ts makes them.
import { parentPort } from 'node:worker_threads'

/** Whose share of the threads a piece of work uses, and when it is no longer wanted. */
export interface ThreadTurn {
  owner: string
  signal?: AbortSignal
}

export type CreateThreads = <T>(
  file: URL,
  limits: { atOnce: number; timeoutMs: number },
) => (data: unknown, turn?: ThreadTurn) => Promise<T>

/** For a file that such a thread runs: answers each message with the result of `work`. */
export function answerMessages<Message>(work: (message: Message) => unknown): void {
  const port = parentPort
  if (!port) throw new Error('This file runs only in a thread.')
  port.on('message', async (message: Message) => port.postMessage(await work(message)))
  port.postMessage('loaded')
}
