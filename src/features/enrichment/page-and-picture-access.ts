// The services for pages and pictures that enrichment uses; the platform implements them.
import type { PictureType, PictureUse } from '../../kernel/own-addresses.ts'
import type { PageFacts, PageSource } from './page.rules.ts'

export interface Pictures {
  /**
   * The picture in the form that the service serves, or its problem as the end of a sentence. One picture is encoded at a time, and owners
   * take turns. When the signal is aborted, the call fails with its reason.
   */
  encode(
    bytes: Buffer,
    use: PictureUse,
    line?: { owner: string; signal?: AbortSignal },
  ): Promise<{ bytes: Buffer; type: PictureType } | { problem: string }>
}

export interface PictureStore {
  /** Stores a picture and returns its name, which is the same for the same content. */
  keep(bytes: Buffer, type: PictureType): Promise<string>
  /** null when there is no picture with this name. */
  read(name: string): Promise<Buffer | null>
}

declare module '../../kernel/context.ts' {
  interface Context {
    pictures: Pictures
    pictureStore: PictureStore
    /** Throws when a page takes too long to read. A few pages are read at a time, and owners take turns. */
    readPage(page: PageSource, line?: { owner: string; signal?: AbortSignal }): Promise<PageFacts>
  }
}
