// The pictures of a listing: which are on other hosts, and the listing with our copies of them.
import { createHash } from 'node:crypto'
import { MEDIA_PATH, mediaAddress, type PictureUse, pictureFrom } from '../../kernel/own-addresses.ts'

/** The fields of tools and directories that are pictures; a directory has no screenshots. */
export interface PictureFields {
  icon: string | null
  frame: string | null
  screenshots?: string[]
}

export interface ForeignPicture {
  /** icon, frame, screenshots.0, … */
  part: string
  use: PictureUse
  address: string
}

/**
 * Pictures on other hosts. Addresses of this service are left out: either it stores the picture, or readers are not shown it. So are
 * values that are no texts, which a row that was changed by hand may have.
 */
export function foreignPictures(publicUrl: string, { icon, frame, screenshots }: PictureFields): ForeignPicture[] {
  const more: readonly unknown[] = Array.isArray(screenshots) ? screenshots : []
  const all: { part: string; use: PictureUse; address: unknown }[] = [
    { part: 'icon', use: 'icon', address: icon },
    { part: 'frame', use: 'picture', address: frame },
    ...more.map((address, i) => ({ part: `screenshots.${i}`, use: 'picture' as const, address })),
  ]
  return all.filter(
    (one): one is ForeignPicture => typeof one.address === 'string' && isForeign(publicUrl, one.address),
  )
}

const isForeign = (publicUrl: string, address: string): boolean =>
  address !== '' && !address.startsWith(`${publicUrl}${MEDIA_PATH}/`) && pictureFrom(publicUrl, address) === address

/** Under which a copy is remembered. A hash, because an index takes no long texts. An icon has another size, so its use counts. */
export const copyKey = ({ use, address }: Pick<ForeignPicture, 'use' | 'address'>): string =>
  createHash('sha256').update(`${use} ${address}`).digest('base64url')

/** The picture fields that change when the copies are put in. `nameOf`: the file name of a copy, undefined while there is none. */
export function withCopies(
  publicUrl: string,
  fields: PictureFields,
  nameOf: (picture: ForeignPicture) => string | undefined,
): Partial<PictureFields> {
  const copies = new Map(
    foreignPictures(publicUrl, fields).flatMap((picture) => {
      const name = nameOf(picture)
      return name === undefined ? [] : [[picture.part, mediaAddress(publicUrl, name)] as const]
    }),
  )
  const changed: Partial<PictureFields> = {}
  for (const field of ['icon', 'frame'] as const) if (copies.has(field)) changed[field] = copies.get(field) as string
  if ([...copies.keys()].some((part) => part.startsWith('screenshots.')))
    changed.screenshots = fields.screenshots?.map((address, i) => copies.get(`screenshots.${i}`) ?? address)
  return changed
}
