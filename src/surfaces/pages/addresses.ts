// Which stored addresses may become links and pictures. Escaping does not stop a `javascript:` address: only this does.
import { MEDIA_PATH, PICTURE_NAME } from '../../kernel/own-addresses.ts'
import { parseWebAddress } from '../../kernel/web-address.ts'

/** The address as a browser reads it when it is http or https, otherwise null. Plain ASCII, so that it fits a header too. */
export function webAddress(text: string | null | undefined): string | null {
  const href = text ? parseWebAddress(text)?.href : undefined
  if (!text || !href) return null
  // As it was stored when all that differs is the slash after the host.
  return href === `${text}/` ? text : href
}

// Our own pictures have the address of the service, which may be plain http; of others the page's policy lets only https through.
const OWN_PICTURE = new RegExp(`^http://[^/]+${MEDIA_PATH}/${PICTURE_NAME.source.slice(1)}`)

/** Pictures over plain http would be blocked, or spied on. */
export function pictureAddress(text: string | null | undefined): string | null {
  const address = webAddress(text)
  return address && (address.startsWith('https:') || OWN_PICTURE.test(address)) ? address : null
}
