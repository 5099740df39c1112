// Why a request failed, in a sentence that is safe to show: it has no address and no text of a library in it.
import { NoSuchHost, OutboundRefused } from '../../kernel/interfaces/outbound.ts'

/** A failure whose message is safe to show. */
export class OutboundFailure extends Error {}

const NOT_FOUND = 'The host name could not be found.'

const SENTENCES: [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'The connection was refused.'],
  [/^(ENOTFOUND|ENODATA|EBADNAME|ENONAME)$/, NOT_FOUND],
  [/^(EAI_\w+|ESERVFAIL|ETIMEOUT|EREFUSED|EFORMERR|EBADRESP|ECANCELLED)$/, 'The host name could not be looked up.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'There is no way to the host.'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/, 'The host did not answer.'],
  [/^CERT_HAS_EXPIRED$/, "The host's certificate has expired."],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "The host's certificate is for another name."],
  [/CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/, "The host's certificate cannot be trusted."],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO$)/, 'No secure connection could be made.'],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, "The answer's headers are too large."],
  [/^HPE_/, 'The answer is not valid HTTP.'],
  [/^(Z_|ERR_BROTLI|ERR_PADDING|ERR__ERROR)/, 'The answer could not be decompressed.'],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|UND_ERR_DESTROYED|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ERR_STREAM_PREMATURE_CLOSE)$/,
    'The connection was closed before the answer was complete.',
  ],
]

export function failureOf(error: unknown): Error {
  if (error instanceof OutboundRefused || error instanceof OutboundFailure || error instanceof NoSuchHost) return error
  for (const code of codesOf(error)) {
    const sentence = SENTENCES.find(([pattern]) => pattern.test(code))?.[1]
    // Only ENOTFOUND: a name with other entries than addresses (ENODATA) exists.
    if (code === 'ENOTFOUND') return new NoSuchHost(NOT_FOUND, { cause: error })
    if (sentence) return new OutboundFailure(sentence, { cause: error })
  }
  return new OutboundFailure('The request failed.', { cause: error })
}

/** The codes of the error, of its causes, and of attempts at several addresses. */
function* codesOf(error: unknown): Generator<string> {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; current = current.cause, depth++) {
    const { code } = current as NodeJS.ErrnoException
    if (typeof code === 'string') yield code
    if (current.name === 'HTTPParserError') yield 'HPE_UNNAMED'
    if (current instanceof AggregateError) for (const one of current.errors) yield* codesOf(one)
  }
}
