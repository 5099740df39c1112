// Which hosts a request may name. A page of another site can point its own name at our address (DNS rebinding) and then read us as its own
// origin, past CORS, also where only this machine can reach us. Its requests name its host, so they are refused, on every surface.
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { badRequest, type Failure, misdirected } from '../../kernel/errors.ts'
import { isRepeated } from './raw-headers.ts'

export interface Hosts {
  /** Whether we answer for a host, written as in a Host header: with a port or without one. */
  include(host: string): boolean
  /** Why a request is not answered; null when it is. X-Forwarded-Host is never asked: any page may send it. */
  refusal(request: FastifyRequest): Failure | null
}

/** Ours are the host of `publicUrl`, localhost, every numeric address (which cannot be pointed elsewhere) and `allowed`. */
export function createHosts(publicUrl: string, allowed: readonly string[]): Hosts {
  const names = new Set(['localhost', new URL(publicUrl).hostname, ...allowed])
  // Nearly all requests name the same.
  let lastIncluded: string | null = null

  function include(host: string): boolean {
    if (host === lastIncluded) return true
    const name = nameIn(host)
    if (name === null || !(isNumeric(name) || names.has(name.replace(/\.$/, '')))) return false
    lastIncluded = host
    return true
  }

  return {
    include,
    refusal({ headers, url, raw }) {
      const { host } = headers
      if (isRepeated(raw.rawHeaders, 'host')) return badRequest('Send one Host header.')
      // Only HTTP/1.0 may leave it out, and browsers do not speak that.
      const isOurs = (host === undefined || include(host)) && (url.charCodeAt(0) === SLASH || targetIsOurs(url))
      if (isOurs) return null
      return misdirected(
        `This service does not answer for the host that was asked for. Use ${publicUrl}. If the host is right, its operator must add it to ALLOWED_HOSTS.`,
      )
    },
  }

  /** What is asked for may be a whole address; then its host counts like the header's. */
  function targetIsOurs(target: string): boolean {
    const host = /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
    return host === undefined || include(host)
  }
}

const SLASH = 47

/** The name or number in a Host header, without its port; null when it is none. */
function nameIn(host: string): string | null {
  const [, bracketed, plain] = /^(?:(\[[0-9a-f:.]+\])|([^\s:/?#@[\]%]+))(?::\d*)?$/i.exec(host) ?? []
  return (bracketed ?? plain)?.toLowerCase() ?? null
}

/** Only in the form in which browsers write it: `127.1`, `0x7f000001` and the like are names here. */
const isNumeric = (name: string): boolean => isIP(name) === 4 || (name.startsWith('[') && isIP(name.slice(1, -1)) === 6)
