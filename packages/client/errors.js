/** The one class of everything that this package throws. */
export class CatalogError extends Error {
  /**
   * @param {import('./index.d.ts').ErrorKind} kind
   * @param {string} message
   * @param {{ status?: number, code?: string | null, fields?: { field: string, problem: string }[], requestId?: string | null, retryAfter?: number | null, details?: Record<string, unknown>, cause?: unknown }} [more]
   */
  constructor(
    kind,
    message,
    { status = 0, code = null, fields = [], requestId = null, retryAfter = null, details = {}, cause } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CatalogError'
    this.kind = kind
    this.status = status
    this.code = code
    this.fields = fields
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.details = details
  }
}
