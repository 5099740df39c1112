// Finds the pictures of a listing that are on other hosts, and replaces their addresses by those of the copies that this service stores.
import { createHash } from 'node:crypto'
import {
  MEDIA_PATH,
  mediaAddress,
  type PictureUse,
  pictureFrom,
  SINGLE_PICTURES,
  type SinglePicture,
} from '../../../kernel/addresses/own-addresses.ts'

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

/** All pictures of a listing. Skips values that are not text, which a row that was edited by hand may have. */
export function picturesOf({ icon, frame, screenshots }: PictureFields): ListedPicture[] {
  const otherPictures: readonly unknown[] = Array.isArray(screenshots) ? screenshots : []
  const all: { part: string; use: PictureUse; address: unknown }[] = [
    { part: 'icon', use: 'icon', address: icon },
    { part: 'frame', use: 'picture', address: frame },
    ...otherPictures.map((address, i) => ({ part: `screenshots.${i}`, use: 'picture' as const, address })),
  ]
  return all.filter((one): one is ListedPicture => typeof one.address === 'string')
}

/** Pictures on other hosts. Addresses of this service are skipped: either it stores the picture, or readers are not shown it. */
export const foreignPictures = (publicUrl: string, fields: PictureFields): ListedPicture[] =>
  picturesOf(fields).filter(({ address }) => isForeign(publicUrl, address))

const isForeign = (publicUrl: string, address: string): boolean =>
  address !== '' && !address.startsWith(`${publicUrl}${MEDIA_PATH}/`) && pictureFrom(publicUrl, address) === address

/** The key of a copy: a hash, because an index cannot hold long texts. The use is part of it, because icons are stored in another size. */
export const copyKey = ({ use, address }: Pick<ListedPicture, 'use' | 'address'>): string =>
  createHash('sha256').update(`${use} ${address}`).digest('base64url')

/** The key of the copy of a picture that was found on the website of a listing, because the listing names none. */
export const siteCopyKey = (part: SinglePicture, website: string): string =>
  copyKey({ use: part === 'icon' ? 'icon' : 'picture', address: `site:${website}` })

/** The picture fields that change when copies replace foreign pictures. `nameOf`: the file name of a copy, undefined: there is none. */
export const withCopies = (
  publicUrl: string,
  fields: PictureFields,
  nameOf: (picture: ListedPicture) => string | undefined,
): Partial<PictureFields> =>
  withAddresses(fields, (picture) => {
    const name = isForeign(publicUrl, picture.address) ? nameOf(picture) : undefined
    return name === undefined ? undefined : mediaAddress(publicUrl, name)
  })

/** The picture fields that change when pictures get the addresses of `addressOf`; undefined: the picture keeps its address. */
export function withAddresses(
  fields: PictureFields,
  addressOf: (picture: ListedPicture) => string | undefined,
): Partial<PictureFields> {
  const moved = new Map(
    picturesOf(fields).flatMap((picture) => {
      const address = addressOf(picture)
      return address === undefined ? [] : [[picture.part, address] as const]
    }),
  )
  const changed: Partial<PictureFields> = {}
  for (const field of SINGLE_PICTURES) if (moved.has(field)) changed[field] = moved.get(field) as string
  if ([...moved.keys()].some((part) => part.startsWith('screenshots.')))
    changed.screenshots = fields.screenshots?.map((address, i) => moved.get(`screenshots.${i}`) ?? address)
  return changed
}
