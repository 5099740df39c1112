// The pictures of a listing: which are on other hosts, and the listing with our copies of them.
import { createHash } from 'node:crypto'
import { MEDIA_PATH, mediaAddress, type PictureUse, pictureFrom } from '../../kernel/own-addresses.ts'

/** The fields of tools and directories that are pictures; a directory has no screenshots. */
export interface PictureFields {
  icon: string | null
  frame: string | null
  screenshots?: string[]
}

export interface ListedPicture {
  /** icon, frame, screenshots.0, … */
  part: string
  use: PictureUse
  address: string
}

/** All pictures. Values that are no texts, which a row that was changed by hand may have, are left out. */
export function picturesOf({ icon, frame, screenshots }: PictureFields): ListedPicture[] {
  const more: readonly unknown[] = Array.isArray(screenshots) ? screenshots : []
  const all: { part: string; use: PictureUse; address: unknown }[] = [
    { part: 'icon', use: 'icon', address: icon },
    { part: 'frame', use: 'picture', address: frame },
    ...more.map((address, i) => ({ part: `screenshots.${i}`, use: 'picture' as const, address })),
  ]
  return all.filter((one): one is ListedPicture => typeof one.address === 'string')
}

/** Pictures on other hosts. Addresses of this service are left out: either it stores the picture, or readers are not shown it. */
export const foreignPictures = (publicUrl: string, fields: PictureFields): ListedPicture[] =>
  picturesOf(fields).filter(({ address }) => isForeign(publicUrl, address))

const isForeign = (publicUrl: string, address: string): boolean =>
  address !== '' && !address.startsWith(`${publicUrl}${MEDIA_PATH}/`) && pictureFrom(publicUrl, address) === address

/** Under which a copy is remembered. A hash, because an index takes no long texts. An icon has another size, so its use counts. */
export const copyKey = ({ use, address }: Pick<ListedPicture, 'use' | 'address'>): string =>
  createHash('sha256').update(`${use} ${address}`).digest('base64url')

/** The picture fields that change when the copies are put in. `nameOf`: the file name of a copy, undefined while there is none. */
export const withCopies = (
  publicUrl: string,
  fields: PictureFields,
  nameOf: (picture: ListedPicture) => string | undefined,
): Partial<PictureFields> =>
  withAddresses(fields, (picture) => {
    const name = isForeign(publicUrl, picture.address) ? nameOf(picture) : undefined
    return name === undefined ? undefined : mediaAddress(publicUrl, name)
  })

/** The picture fields that change when pictures get other addresses. undefined: the picture keeps its address. */
export function withAddresses(
  fields: PictureFields,
  addressOf: (picture: ListedPicture) => string | undefined,
): Partial<PictureFields> {
  const others = new Map(
    picturesOf(fields).flatMap((picture) => {
      const address = addressOf(picture)
      return address === undefined ? [] : [[picture.part, address] as const]
    }),
  )
  const changed: Partial<PictureFields> = {}
  for (const field of ['icon', 'frame'] as const) if (others.has(field)) changed[field] = others.get(field) as string
  if ([...others.keys()].some((part) => part.startsWith('screenshots.')))
    changed.screenshots = fields.screenshots?.map((address, i) => others.get(`screenshots.${i}`) ?? address)
  return changed
}
