// Which stored addresses may become links and pictures. Escaping does not make a `javascript:` address harmless; this check does.
import { MEDIA_PATH, pictureNameIn } from '../../kernel/addresses/own-addresses.ts'
import { parseWebAddress } from '../../kernel/addresses/web-address.ts'

/** The address as a browser parses it when it is http or https, otherwise null. The result is plain ASCII, so it also fits a header. */
export function webAddress(text: string | null | undefined): string | null {
  const href = text ? parseWebAddress(text)?.href : undefined
  if (!text || !href) return null
  // The stored text is returned when parsing only added the slash after the host.
  return href === `${text}/` ? text : href
}

/**
 * The path of a stored picture, null for any other address: browsers are never sent to another host for a picture, and the content
 * security policy forbids it. The host is not compared, so a picture stays visible when the service moves to another host, and under
 * every name that the service answers to.
 */
export function pictureAddress(text: string | null | undefined): string | null {
  const name = text ? pictureNameIn(text) : null
  return name === null ? null : `${MEDIA_PATH}/${name}`
}
