// Limits every answer of an S3 bucket. The S3 client has no limits by default: it waits without end and collects lists of any length.
import { pipeline, type Readable, Transform } from 'node:stream'

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
