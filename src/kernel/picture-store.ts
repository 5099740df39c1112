// The interface of the picture store; the platform implements it with a folder and with a bucket.
import type { PictureType } from './own-addresses.ts'

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
  /** A stored picture. */
  logo: Buffer | null
}
