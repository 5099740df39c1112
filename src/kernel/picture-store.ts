// Where pictures are kept; the platform has a folder and a bucket for it.
import type { PictureType } from './own-addresses.ts'

export interface PictureStore {
  /** Stores the picture and returns its name, which is the same for the same content. */
  keep(bytes: Buffer, type: PictureType): Promise<string>
  /** null: no picture has this name. */
  read(name: string): Promise<Buffer | null>
  /** Throws unless a file can be written, read and removed again. */
  probe(): Promise<void>
}
