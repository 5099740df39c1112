// Which hosts a request may name. Another site can point its own name at this service's address (DNS rebinding); its pages could then read
// answers as their own origin, without CORS, even of a service that only listens locally. Such requests name the other site's host, so every
// surface refuses them.
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { badRequest, type Failure, misdirected } from '../../../kernel/errors.ts'
import { isRepeated } from './callers.ts'

export interface Hosts {
  /** Whether the service answers for a host, written as in a Host header, with or without a port. */
  include(host: string): boolean
  /** Why a request is refused, or null. X-Forwarded-Host is never used, because any page may send it. */
  refusal(request: FastifyRequest): Failure | null
}

/** Own hosts are that of `publicUrl`, localhost, every numeric address (which DNS cannot redirect) and `allowed`. */
export function createHosts(publicUrl: string, allowed: readonly string[]): Hosts {
  const names = new Set(['localhost', new URL(publicUrl).hostname, ...allowed])

  function include(host: string): boolean {
    const name = nameIn(host)
    return name !== null && (isNumeric(name) || names.has(name.replace(/\.$/, '')))
  }

  return {
    include,
    refusal({ headers, url, raw }) {
      const { host } = headers
      if (isRepeated(raw.rawHeaders, 'host')) return badRequest('Send one Host header.')
      // Only HTTP/1.0 requests may have no Host header, and browsers do not send those.
      if (host === undefined && raw.httpVersion === '1.1')
        return badRequest(`The Host header is missing. Send one, such as "Host: ${new URL(publicUrl).host}".`)
      const isOurs = (host === undefined || include(host)) && (url.charCodeAt(0) === SLASH || targetIsOurs(url))
      if (isOurs) return null
      return misdirected(
        `This service does not answer for the requested host. Use ${publicUrl}. If the host is right, its operator must add it to ALLOWED_HOSTS.`,
      )
    },
  }

  /** The target of a request may be a whole URL; then its host is checked like that of the header. */
  function targetIsOurs(target: string): boolean {
    const host = /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
    return host === undefined || include(host)
  }
}

const SLASH = 47

/** The name or numeric address in a Host header, without its port; null if it is neither. */
function nameIn(host: string): string | null {
  const [, bracketed, plain] = /^(?:(\[[0-9a-f:.]+\])|([^\s:/?#@[\]%]+))(?::\d*)?$/i.exec(host) ?? []
  return (bracketed ?? plain)?.toLowerCase() ?? null
}

/** Only the form that browsers write counts as numeric; `127.1`, `0x7f000001` and the like count as names. */
const isNumeric = (name: string): boolean => isIP(name) === 4 || (name.startsWith('[') && isIP(name.slice(1, -1)) === 6)
