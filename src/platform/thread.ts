// Runs a file in a thread of its own, once, with a limit on time and memory: for work on what strangers sent, which may be made
// to take for ever.
import { Worker } from 'node:worker_threads'

const MAX_MEGABYTES = 256

/** The one message that the thread answers with; the file finds `data` in `workerData`. */
export function runInThread<T>(file: URL, data: unknown, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const worker = new Worker(file, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
      // What it has to say it says in its message.
      stdout: true,
      stderr: true,
    })
    const timer = setTimeout(() => settle(() => reject(new Error('took too long'))), timeoutMs)
    const stop = () => settle(() => reject(signal!.reason))
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
