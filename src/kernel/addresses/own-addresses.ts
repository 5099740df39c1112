// Which addresses lead to this service itself, and which of those are pictures that it stores. A stored picture is recognised by the
// exact form of its normalised address: `/media/../tools/x/visit` only begins like one and is not a picture.
import { isWebPort, parseUrl, parseWebAddress, portOf } from './web-address.ts'

/** The fields of a listing that are one picture each: its logo and its main picture. */
export const SINGLE_PICTURES = ['icon', 'frame'] as const
export type SinglePicture = (typeof SINGLE_PICTURES)[number]

export const MEDIA_PATH = '/media'
export const BADGES_PATH = '/badges/'
export const badgeAddress = (publicUrl: string, slug: string): string => `${publicUrl}${BADGES_PATH}${slug}.svg`

/** The name of the meta tag with which the owner of a page proves a claim of a listing. */
export const OWNER_TAG = 'catalog-verify'

/** The file types in which pictures are stored. */
const PICTURE_TYPES = ['webp', 'png'] as const
export type PictureType = (typeof PICTURE_TYPES)[number]
/** How a picture is used, which decides its size: as an icon, or as any other picture. */
export const PICTURE_USES = ['icon', 'picture'] as const
export type PictureUse = (typeof PICTURE_USES)[number]

/** The file name of a stored picture: the hash of its content, and its type. */
export const PICTURE_NAME = new RegExp(`^([0-9a-f]{40})\\.(${PICTURE_TYPES.join('|')})$`)

export const mediaAddress = (publicUrl: string, name: string): string => `${publicUrl}${MEDIA_PATH}/${name}`

/**
 * The name of the stored picture that an address leads to, null for any other address. The host is not compared: the name is the hash
 * of the content, so the picture is the same under every address that the service has had.
 */
export function pictureNameIn(text: string): string | null {
  const [folder, name = '', ...more] = parseWebAddress(text)?.pathname.split('/').slice(1) ?? []
  return `/${folder}` === MEDIA_PATH && more.length === 0 && PICTURE_NAME.test(name) ? name : null
}

/** The present address of a stored picture, also for an address from before the service moved to another host; otherwise null. */
export function storedPicture(publicUrl: string, text: string): string | null {
  const name = pictureNameIn(text)
  return name === null ? null : mediaAddress(publicUrl, name)
}

/** The normalised address if it is the address of a picture stored by this service, otherwise null. */
export function ownPicture(publicUrl: string, text: string): string | null {
  const stored = `${publicUrl}${MEDIA_PATH}/`
  if (text.startsWith(stored) && PICTURE_NAME.test(text.slice(stored.length))) return text
  const url = parseUrl(text)
  if (!url || url.origin !== new URL(publicUrl).origin || url.username || url.password) return null
  const [folder, name = '', ...more] = url.pathname.split('/').slice(1)
  if (`/${folder}` !== MEDIA_PATH || !PICTURE_NAME.test(name) || more.length > 0) return null
  return url.search || url.hash ? null : mediaAddress(publicUrl, name)
}

/** Whether the address is below `/media` of this service and cannot reach any other page. The picture may not exist. */
export function isMediaAddress(publicUrl: string, text: string): boolean {
  const url = parseUrl(text)
  return url !== null && url.origin === new URL(publicUrl).origin && /^\/media\/[\w-]+(\.[\w-]+)*$/.test(url.pathname)
}

/** Whether a request to the address would reach this service. http and https count as the same, because proxies usually redirect. */
export function isOwnAddress(publicUrl: string, text: string): boolean {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  const ownUrl = new URL(publicUrl)
  const [port, ownPort] = [portOf(url), portOf(ownUrl)]
  return hostWithoutDot(url) === hostWithoutDot(ownUrl) && (port === ownPort || (isWebPort(port) && isWebPort(ownPort)))
}

const hostWithoutDot = ({ hostname }: URL): string => hostname.replace(/\.+$/, '')

// Each start checks every picture of every listing. Normalising does not change a host in this form, so an address of another host
// is recognised without parsing it.
const NORMALISED_HOST = /^https?:\/\/([a-z][a-z0-9.-]*)(?::\d+)?\//

/** A picture's address: normalised if this service stores it, unchanged on another host, null for any other address of this service. */
export function pictureFrom(publicUrl: string, text: string): string | null {
  const host = NORMALISED_HOST.exec(text)?.[1]
  if (host && !host.endsWith('.') && !publicUrl.includes(host)) return text
  return ownPicture(publicUrl, text) ?? (isOwnAddress(publicUrl, text) ? null : text)
}

interface Pictured {
  icon?: string | null
  frame?: string | null
  screenshots?: string[]
}

/** The listing without picture addresses that lead to this service but are not stored pictures. */
export function withPictures<T extends Pictured>(publicUrl: string, listing: T): T {
  const kept: Pictured = {}
  for (const field of SINGLE_PICTURES) if (listing[field]) kept[field] = pictureFrom(publicUrl, listing[field])
  // A broken row may have other values here. They stay as they are, so that operators are told about the row.
  if (Array.isArray(listing.screenshots))
    kept.screenshots = listing.screenshots.flatMap((text) =>
      typeof text === 'string' ? (pictureFrom(publicUrl, text) ?? []) : text,
    )
  return { ...listing, ...kept }
}
