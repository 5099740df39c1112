// Requests from here to the world. One implementation serves every fetch and every webhook, so that the rules of what may be
// reached stand in one place.

export interface OutboundRequest {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Of decoded data; what comes after is not read. */
  maxBytes: number
  /** For everything together: look-up, connecting, redirects, the last byte. */
  timeoutMs: number
  /** How many may be followed. */
  redirects: number
  /** Ends the request before its time; the failure says the signal's reason. */
  signal?: AbortSignal
}

export interface OutboundResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** Whether there was more than `maxBytes`. */
  truncated: boolean
  /** Where the answer came from, after redirects. */
  url: string
}

/** The address may not be reached from here; the message says why and is safe to show. */
export class OutboundRefused extends Error {}

export interface Outbound {
  fetch(url: string, request: OutboundRequest): Promise<OutboundResponse>
}
