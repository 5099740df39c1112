// Runs a file in threads that are kept for some time, for input from strangers, which may be written to make the work endless. Loading the
// file takes far longer than most of the work, so its time does not count; work that takes too long ends its thread.
import { Worker } from 'node:worker_threads'
import { OPERATOR } from '../kernel/job.ts'
import type { CreateThreads, ThreadTurn } from '../kernel/threads.ts'
import { createFairTurns } from '../kernel/turns.ts'

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
    const worker = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
      stdout: true,
      stderr: true,
    })
    // An idle thread does not keep the process from ending.
    worker.unref()
    const thread = { worker, loaded: answerOf<void>(worker, LOAD_MS) }
    worker.once('exit', () => leave(thread))
    // One that fails while nothing waits for it only ends.
    worker.on('error', () => {})
    return thread
  }

  async function run(data: unknown, signal?: AbortSignal): Promise<T> {
    const thread = free.pop() ?? open()
    clearTimeout(thread.idle)
    try {
      await thread.loaded
      const answer = answerOf<T>(thread.worker, timeoutMs, signal)
      thread.worker.postMessage(data)
      const result = await answer
      thread.idle = setTimeout(() => end(thread), IDLE_MS).unref()
      free.push(thread)
      return result
    } catch (error) {
      void thread.worker.terminate()
      throw error
    }
  }

  function end(thread: KeptThread): void {
    leave(thread)
    void thread.worker.terminate()
  }

  function leave(thread: KeptThread): void {
    const at = free.indexOf(thread)
    if (at >= 0) free.splice(at, 1)
  }

  return (data: unknown, { owner, signal }: ThreadTurn = { owner: OPERATOR }) =>
    takeTurn(owner, () => run(data, signal), signal)
}

/** The next message of the thread. */
function answerOf<T>(worker: Worker, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const settle = (end: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
      end()
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
