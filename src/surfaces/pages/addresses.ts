// Addresses on pages: which stored ones may become links and pictures, and those of pages to which pages in other folders lead.
import { MEDIA_PATH, pictureNameIn } from '../../kernel/addresses/own-addresses.ts'
import { parseWebAddress } from '../../kernel/addresses/web-address.ts'
import { html, type Markup } from './kit/markup.ts'

/** The address as a browser parses it when it is http or https, otherwise null. The result is plain ASCII, so it also fits a header. */
export function webAddress(text: string | null | undefined): string | null {
  const href = text ? parseWebAddress(text)?.href : undefined
  if (!text || !href) return null
  // The stored text is returned when parsing only added the slash after the host.
  return href === `${text}/` ? text : href
}

/** A link to another site; null if the address must not become a link. */
export const outsideLink = (url: string | null | undefined, label: Markup | string): Markup | null => {
  const address = webAddress(url)
  return address ? html`<a href="${address}" rel="nofollow noopener noreferrer">${label}</a>` : null
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

// Addresses of pages to which pages in other folders lead.
/** The page on how a product gets listed. */
export const SUBMIT = '/submit'

/** The page on which a founder begins, by giving the address of the product's website. */
export const NEW_PRODUCT = '/submit/new'

export const FOUNDER_HELP = '/submit/help'

/** The page of the products that a signed-in founder has sent or owns. */
export const OWN_PRODUCTS = '/dashboard/products'

/** The page of the listings and plans that a signed-in user has saved. */
export const SAVED = '/dashboard/saved'
