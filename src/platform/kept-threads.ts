// Runs a file in worker threads, for input that an attacker may have written to make the work endless: work that takes too long ends its
// thread. Loading the file takes far longer than most work, so threads are reused and the loading does not count against the time limit.
import { Worker } from 'node:worker_threads'
import { OPERATOR } from '../kernel/job.ts'
import type { CreateThreads, ThreadTurn } from '../kernel/work/threads.ts'
import { createFairTurns } from '../kernel/work/turns.ts'

/** Imports the file that `workerData` names. */
export const THREAD = new URL('./thread.mjs', import.meta.url)
const MAX_MEGABYTES = 256
const LOAD_MS = 60_000
const IDLE_MS = 15_000

interface KeptThread {
  /** Resolves when the file is loaded. */
  loaded: Promise<void>
  worker: Worker
  idle?: NodeJS.Timeout
}

/** The file sends one message when it is loaded, and then one answer for each message that it gets. */
export const createKeptThreads: CreateThreads = <T>(file: URL, { atOnce, timeoutMs }: Parameters<CreateThreads>[1]) => {
  const takeTurn = createFairTurns(atOnce)
  const free: KeptThread[] = []

  function open(): KeptThread {
    const worker = new Worker(THREAD, {
      workerData: { file: file.href },
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
      // What a parser prints about a page does not get into the output of the service.
      stdout: true,
      stderr: true,
    })
    // An idle thread does not keep the process from ending.
    worker.unref()
    const thread = { worker, loaded: nextMessage<void>(worker, LOAD_MS) }
    worker.once('exit', () => removeFromFree(thread))
    // Without a listener, an error of an idle thread would end the process.
    worker.on('error', () => {})
    return thread
  }

  async function run(data: unknown, signal?: AbortSignal): Promise<T> {
    const thread = free.pop() ?? open()
    clearTimeout(thread.idle)
    try {
      await thread.loaded
      const answer = nextMessage<T>(thread.worker, timeoutMs, signal)
      thread.worker.postMessage(data)
      const result = await answer
      thread.idle = setTimeout(() => closeIdle(thread), IDLE_MS).unref()
      free.push(thread)
      return result
    } catch (error) {
      void thread.worker.terminate()
      throw error
    }
  }

  function closeIdle(thread: KeptThread): void {
    removeFromFree(thread)
    void thread.worker.terminate()
  }

  function removeFromFree(thread: KeptThread): void {
    const at = free.indexOf(thread)
    if (at >= 0) free.splice(at, 1)
  }

  return (data: unknown, { owner, signal }: ThreadTurn = { owner: OPERATOR }) =>
    takeTurn(owner, () => run(data, signal), signal)
}

function nextMessage<T>(worker: Worker, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
      finish()
    }
    const onMessage = (message: T) => settle(() => resolve(message))
    const onError = (error: unknown) => settle(() => reject(error))
    const onExit = () => settle(() => reject(new Error('ended without an answer')))
    const onAbort = () => settle(() => reject(signal?.reason))
    const timer = setTimeout(() => settle(() => reject(new Error('took too long'))), timeoutMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal?.addEventListener('abort', onAbort)
  })
}
