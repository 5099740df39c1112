// Sends thousands of cases, many at a time, and shrinks the first one with a wrong answer to the smallest that still has one.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Pool } from 'undici'
import type { Request } from './requests.ts'

/** The same seed makes the same requests. */
export const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115)
/** Multiplies the number of cases, for a long run. */
export const SCALE = Number(process.env.FUZZ_SCALE ?? 1)

const AT_ONCE = 16

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export interface Sender {
  send(request: Request): Promise<Answer>
  close(): Promise<void>
}

export function createSender(origin: string): Sender {
  const pool = new Pool(origin, { connections: AT_ONCE, pipelining: 1 })
  return {
    async send({ method, path, headers, body }) {
      const {
        statusCode,
        headers: given,
        body: stream,
      } = await pool.request({ method: method as 'GET', path, headers, body })
      return { status: statusCode, headers: given, text: unpacked(await stream.bytes(), given['content-encoding']) }
    },
    close: () => pool.close(),
  }
}

/** The text of an answer, decompressed. */
function unpacked(bytes: Uint8Array, encoding: string | string[] | undefined): string {
  if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  return (encoding === 'gzip' ? gunzipSync(bytes) : Buffer.from(bytes)).toString()
}

export interface Outcome {
  /** What is wrong with the answer; null when nothing is. */
  problem: string | null
  /** A command that repeats the request. */
  shown: string
}

/**
 * Runs so many cases and throws with the smallest request that has a wrong answer. The service keeps its state between cases, so a case
 * that fails only after others is shown unshrunk.
 */
export async function fuzz<T>(
  name: string,
  cases: fc.Arbitrary<T>,
  count: number,
  run: (one: T) => Promise<Outcome>,
): Promise<number> {
  const seed = SEED + [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 0)
  const made = fc.sample(cases, { seed, numRuns: Math.ceil(count * SCALE) })
  let next = 0
  let failed: { at: number; outcome: Outcome } | null = null
  const worker = async () => {
    while (failed === null && next < made.length) {
      const at = next++
      const outcome = await run(made[at]!).catch((error) => ({
        problem: `no answer: ${error}`,
        shown: JSON.stringify(made[at]),
      }))
      if (outcome.problem !== null) failed ??= { at, outcome }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (failed !== null) throw new Error(await explained(name, cases, seed, failed, run))
  return made.length
}

async function explained<T>(
  name: string,
  cases: fc.Arbitrary<T>,
  seed: number,
  { at, outcome }: { at: number; outcome: Outcome },
  run: (one: T) => Promise<Outcome>,
): Promise<string> {
  let smallest = outcome
  const property = fc.asyncProperty(cases, async (one) => {
    const again = await run(one)
    if (again.problem !== null) smallest = again
    return again.problem === null
  })
  await fc.check(property, {
    seed,
    path: String(at),
    numRuns: 1,
    interruptAfterTimeLimit: 20_000,
    markInterruptAsFailure: false,
  })
  return `${name}, case ${at} of FUZZ_SEED=${SEED}: ${smallest.problem}\n${smallest.shown}`
}
