// Limits for the store of pictures. Requests for pictures have no rate limit, so reads of a slow store or in a flood must not pile up here.
// An S3 client has no limits by default: it waits without end and collects lists of any length.
import { pipeline, type Readable, Transform } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { Failure } from '../../kernel/errors.ts'
import { untilAborted } from '../../kernel/work/deadline.ts'
import { createFairTurns } from '../../kernel/work/turns.ts'

export interface ReadLimits {
  /** The time for one read, also while it waits for its turn. */
  readMs: number
  /** How many pictures are read from the store at the same time. */
  atOnce: number
  /** How many reads may be under way or wait; further ones are refused. */
  most: number
  /** For how long a name that the store did not have is not looked for again. */
  unfoundMs: number
}

/** `unfoundMs` is short, because a picture that another process stores must be found here soon. */
export const READ_LIMITS: ReadLimits = { readMs: 10_000, atOnce: 16, most: 256, unfoundMs: 2_000 }

/** 10,000 names of 45 letters take about a megabyte. */
const MOST_UNFOUND = 10_000

export interface Reads {
  /** Requests for one name at the same time share one read. */
  read(name: string): Promise<Buffer | null>
  /** The store has this picture now. */
  stored(name: string): void
}

export function createPictureReads(
  readStored: (name: string, signal: AbortSignal) => Promise<Buffer | null>,
  { readMs, atOnce, most, unfoundMs }: ReadLimits,
): Reads {
  const turns = createFairTurns(atOnce)
  const underWay = new Map<string, Promise<Buffer | null>>()
  // The time until which a name counts as unfound.
  const unfound = new LRUCache<string, number>({ max: MOST_UNFOUND })

  async function readOnce(name: string): Promise<Buffer | null> {
    const signal = AbortSignal.timeout(readMs)
    const bytes = await turns('', () => untilAborted(readStored(name, signal), signal), signal)
    if (!bytes) unfound.set(name, performance.now() + unfoundMs)
    return bytes
  }

  return {
    async read(name) {
      if ((unfound.get(name) ?? 0) > performance.now()) return null
      const same = underWay.get(name)
      if (same) return same
      if (underWay.size >= most) throw busy()
      const reading = readOnce(name).finally(() => underWay.delete(name))
      underWay.set(name, reading)
      return reading
    },
    stored: (name) => void unfound.delete(name),
  }
}

const busy = () =>
  new Failure(503, 'Too many pictures are being read at the moment. Try again shortly.', {
    headers: { 'retry-after': '5' },
    isExpected: true,
  })

export interface BucketLimits {
  /** The time for a request and its whole answer. */
  requestMs: number
  /** The size of an answer that the client parses: a list of a thousand names has 300 KB. */
  parsedBytes: number
}

export const BUCKET_LIMITS: BucketLimits = { requestMs: 10_000, parsedBytes: 2 ** 20 }

/** The part of the S3 client's types that is used here; its package is not among the dependencies. */
interface BucketRequest {
  query?: Record<string, unknown>
}
interface BucketAnswer {
  response: { statusCode: number; body?: Readable }
}
interface Handler {
  handle(request: BucketRequest, options?: { abortSignal?: AbortSignal }): Promise<BucketAnswer>
}
interface Configuration {
  httpHandler(): Handler
}

/** An extension of the S3 client. Its own `requestTimeout` ends at the first byte of the answer. */
export const limitAnswers = ({ requestMs, parsedBytes }: BucketLimits) => ({
  configure(configuration: object): void {
    const handler = (configuration as Configuration).httpHandler()
    const handle = handler.handle.bind(handler)
    handler.handle = async (request, options) => {
      const answer = await handle(request, { ...options, abortSignal: AbortSignal.timeout(requestMs) })
      const { response } = answer
      const isParsed = response.statusCode !== 200 || 'list-type' in (request.query ?? {})
      if (isParsed && response.body) response.body = failAfter(response.body, parsedBytes)
      return answer
    }
  },
})

function failAfter(body: Readable, most: number): Readable {
  let size = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      done(size > most ? new Error(`The bucket answered with more than ${most} bytes.`) : null, chunk)
    },
  })
  // On an error of either stream, `pipeline` also destroys `counted`, and its reader gets the error.
  return pipeline(body, counted, () => {})
}
