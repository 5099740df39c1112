// Which addresses lead to this service itself, and which of those are pictures that it keeps. A picture of ours is known by the exact
// form of its address after normalising: an address that only begins like one (`/media/../tools/x/visit`) is none.
import { isWebPort, portOf } from './web-address.ts'

export const MEDIA_PATH = '/media'

/** What pictures are stored as. */
export const PICTURE_TYPES = ['webp', 'png'] as const
export type PictureType = (typeof PICTURE_TYPES)[number]
/** What a picture is for decides its size. */
export type PictureUse = 'icon' | 'picture'

/** The hash of the content and the type that was written. */
export const PICTURE_NAME = new RegExp(`^([0-9a-f]{40})\\.(${PICTURE_TYPES.join('|')})$`)

export const mediaAddress = (publicUrl: string, name: string): string => `${publicUrl}${MEDIA_PATH}/${name}`

/** The address in the form in which it is stored when it is a picture that is kept here, otherwise null. */
export function ownPicture(publicUrl: string, text: string): string | null {
  const stored = `${publicUrl}${MEDIA_PATH}/`
  if (text.startsWith(stored) && PICTURE_NAME.test(text.slice(stored.length))) return text
  const url = URL.parse(text)
  if (!url || url.origin !== new URL(publicUrl).origin || url.username || url.password) return null
  const [folder, name, ...more] = url.pathname.split('/').slice(1)
  if (`/${folder}` !== MEDIA_PATH || !PICTURE_NAME.test(name ?? '') || more.length > 0) return null
  return url.search || url.hash ? null : mediaAddress(publicUrl, name!)
}

/** Whether the address can reach nothing here but the pictures, whether or not there is one of that name. */
export function isMediaAddress(publicUrl: string, text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.origin === new URL(publicUrl).origin && /^\/media\/[\w-]+(\.[\w-]+)*$/.test(url.pathname)
}

/** Whether a request to the address would come to this service. Over http too: a proxy usually leads from there to https. */
export function isOwnAddress(publicUrl: string, text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  const own = new URL(publicUrl)
  const [port, ownPort] = [portOf(url), portOf(own)]
  return hostOf(url) === hostOf(own) && (port === ownPort || (isWebPort(port) && isWebPort(ownPort)))
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/\.+$/, '')

// Every picture of every listing is asked about at each start. A host in this form is the same after normalising, so its address
// need not be parsed to see that it is another one.
const PLAIN = /^https?:\/\/([a-z][a-z0-9.-]*)(?::\d+)?\//

/** An address as a picture: ours in its stored form, another host's as it is, and null for anything else of this service. */
export function pictureFrom(publicUrl: string, text: string): string | null {
  const host = PLAIN.exec(text)?.[1]
  if (host && !host.endsWith('.') && !publicUrl.includes(host)) return text
  return ownPicture(publicUrl, text) ?? (isOwnAddress(publicUrl, text) ? null : text)
}

interface Pictured {
  icon?: string | null
  frame?: string | null
  screenshots?: string[]
}

/** A listing without picture addresses that lead to this service and are no pictures. */
export function withPictures<T extends Pictured>(publicUrl: string, listing: T): T {
  const kept: Pictured = {}
  for (const field of ['icon', 'frame'] as const)
    if (listing[field]) kept[field] = pictureFrom(publicUrl, listing[field])
  if (listing.screenshots?.length)
    // A stored array may hold nulls; they stay, for the check that tells operators of broken rows.
    kept.screenshots = listing.screenshots.flatMap((text) =>
      text === null ? text : (pictureFrom(publicUrl, text) ?? []),
    )
  return { ...listing, ...kept }
}
