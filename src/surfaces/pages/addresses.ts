// Which stored addresses may become links and pictures. Escaping does not make a `javascript:` address harmless; this check does.
import { MEDIA_PATH, PICTURE_NAME } from '../../kernel/own-addresses.ts'
import { parseWebAddress } from '../../kernel/web-address.ts'

/** The address as a browser parses it when it is http or https, otherwise null. The result is plain ASCII, so it also fits a header. */
export function webAddress(text: string | null | undefined): string | null {
  const href = text ? parseWebAddress(text)?.href : undefined
  if (!text || !href) return null
  // The stored text is returned when parsing only added the slash after the host.
  return href === `${text}/` ? text : href
}

// Our own pictures have the address of the service, which may be plain http. The content security policy allows other pictures only over https.
const OWN_PICTURE = new RegExp(`^http://[^/]+${MEDIA_PATH}/${PICTURE_NAME.source.slice(1)}`)

/** Null for a picture of another host over plain http, which browsers would block or load without encryption. */
export function pictureAddress(text: string | null | undefined): string | null {
  const address = webAddress(text)
  return address && (address.startsWith('https:') || OWN_PICTURE.test(address)) ? address : null
}
