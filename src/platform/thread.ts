// Runs a file once in a thread of its own, with limits on time and memory. It is for input from strangers, which may be written to
// make the work endless.
import { Worker } from 'node:worker_threads'
import { OPERATOR } from '../kernel/job.ts'
import { createFairTurns } from './turns.ts'

const MAX_MEGABYTES = 256

/** Runs the file for each input in a thread of its own. Few threads run at a time, because each may keep a processor busy for seconds. */
export function createThreadWork<T>(file: URL, { atOnce, timeoutMs }: { atOnce: number; timeoutMs: number }) {
  const takeTurn = createFairTurns(atOnce)
  return (
    data: unknown,
    { owner, signal }: { owner: string; signal?: AbortSignal } = { owner: OPERATOR },
  ): Promise<T> => takeTurn(owner, () => runInThread<T>(file, data, timeoutMs, signal), signal)
}

/** Resolves with the one message that the thread sends; the file finds `data` in `workerData`. */
export function runInThread<T>(file: URL, data: unknown, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const worker = new Worker(file, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
      // The thread reports in its message; its output is not shown.
      stdout: true,
      stderr: true,
    })
    const timer = setTimeout(() => settle(() => reject(new Error('took too long'))), timeoutMs)
    const stop = () => settle(() => reject(signal?.reason))
    signal?.addEventListener('abort', stop)
    const settle = (answer: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      answer()
      void worker.terminate()
    }
    worker.once('message', (message: T) => settle(() => resolve(message)))
    worker.once('error', (error) => settle(() => reject(error)))
    worker.once('exit', () => settle(() => reject(new Error('ended without an answer'))))
  })
}
