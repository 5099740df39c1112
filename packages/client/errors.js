/** The one class of everything that this package throws. */
export class CatalogError extends Error {
  /**
   * @param {import('./index.d.ts').ErrorKind} kind
   * @param {string} message
   * @param {{ status?: number, requestId?: string | null, retryAfter?: number | null, details?: Record<string, unknown>, cause?: unknown }} [more]
   */
  constructor(kind, message, { status = 0, requestId = null, retryAfter = null, details = {}, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CatalogError'
    this.kind = kind
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.details = details
  }
}
