// Where pictures are kept; the platform has a folder and a bucket for it.
import type { PictureType } from './own-addresses.ts'

export interface PictureStore {
  /** Stores the picture and returns its name, which is the same for the same content. One that is stored already counts as new again. */
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
