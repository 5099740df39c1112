// Outbound HTTP requests. One implementation sends every fetch and every webhook, so that the rules for which addresses may be
// reached are in one place.

/** The names that this service sends requests under; hosts may use them in their robots.txt. */
export const ROBOTS = {
  service: 'Catalog-Service',
  webhooks: 'Catalog-Webhook',
  linkChecks: 'Catalog-LinkCheck',
  health: 'Catalog-Health',
} as const

export const userAgent = (robot: Robot): string => `${ROBOTS[robot]}/1.0`

export type Robot = keyof typeof ROBOTS

export interface OutboundRequest {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** The most decoded bytes to read; the rest is not read. */
  maxBytes: number
  /** The time for the whole request, from the DNS look-up over redirects to the last byte. */
  timeoutMs: number
  /** How many redirects may be followed. */
  redirects: number
  /** Aborts the request; the error carries the signal's reason. */
  signal?: AbortSignal
}

export interface OutboundResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** Whether the body had more than `maxBytes`. */
  truncated: boolean
  /** The address that answered, after redirects. */
  url: string
}

/** Thrown for an address that outbound requests may not reach; the message says why and is safe to show. */
export class OutboundRefused extends Error {}

/** Thrown when the name servers say that there is no host of this name; the message is safe to show. */
export class NoSuchHost extends Error {}

export interface Outbound {
  fetch(url: string, request: OutboundRequest): Promise<OutboundResponse>
}

/** DNS look-ups of host names and addresses. A name without an entry gives an empty list; a failed look-up throws. */
export interface HostNames {
  namesOf(address: string): Promise<string[]>
  addressesOf(name: string): Promise<string[]>
  /** The texts of the TXT entries of a name. */
  textsOf(name: string): Promise<string[]>
  /** The names that a name is an alias of (CNAME). */
  aliasesOf(name: string): Promise<string[]>
}
