// What the platform does with pictures: it stores them, in a folder or in a bucket, encodes and draws them.
import type { PictureType, PictureUse } from '../addresses/own-addresses.ts'
import type { ThreadTurn } from '../work/threads.ts'

/** The largest picture that is accepted, uploaded or on another host. */
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024
export const MAX_PICTURE_TEXT = `${MAX_PICTURE_BYTES / 1024 / 1024} MiB`
export const ACCEPTED_PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']

export interface PictureStore {
  /** Stores the picture and returns its name, which is the same for the same content. Storing it again renews `storedAt`. */
  keep(bytes: Buffer, type: PictureType): Promise<string>
  /** null: no picture has this name. */
  read(name: string): Promise<Buffer | null>
  has(name: string): Promise<boolean>
  /** The names of all stored pictures, many at a time. */
  names(): AsyncIterable<string[]>
  /** When the picture was last stored; null: there is none. */
  storedAt(name: string): Promise<Date | null>
  remove(name: string): Promise<void>
  /** Throws unless a file can be written, read and removed again. */
  probe(): Promise<void>
}

/** The content of the picture that other sites show with a link to one of our pages; the platform draws it. */
export interface ShareCard {
  site: string
  name: string
  text: string
  category: string
  /** The background colour, as #rrggbb. Text on it is white. */
  colour: string
  logo: Buffer | null
}

/** The picture in the form that the service serves, or its problem as the end of a sentence whose subject is the file. */
export type EncodedPicture = { bytes: Buffer; type: PictureType; width: number; height: number } | { problem: string }

export interface Pictures {
  /** One picture is encoded at a time, and owners take turns. When the turn's signal is aborted, the call fails with its reason. */
  encode(bytes: Buffer, use: PictureUse, turn?: ThreadTurn): Promise<EncodedPicture>
  /** Draws the picture that other sites show with a link to a page, as PNG. It waits in the same queue as `encode`. */
  drawShare(card: ShareCard): Promise<Buffer>
}
