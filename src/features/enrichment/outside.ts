// What enrichment needs of the outside, besides fetching.
import type { PictureType, PictureUse } from '../../kernel/own-addresses.ts'
import type { PageFacts, PageSource } from './page.rules.ts'

export interface Pictures {
  /**
   * The picture as we would serve it, or what is wrong with it as the end of a sentence. One is made at a time, and owners take turns.
   * When the signal is aborted, the call fails with its reason.
   */
  encode(
    bytes: Buffer,
    use: PictureUse,
    line?: { owner: string; signal?: AbortSignal },
  ): Promise<{ bytes: Buffer; type: PictureType } | { problem: string }>
}

export interface PictureStore {
  /** The name under which it can be read; the same for the same content. */
  keep(bytes: Buffer, type: PictureType): Promise<string>
  /** null: there is none of this name. */
  read(name: string): Promise<Buffer | null>
}

declare module '../../kernel/context.ts' {
  interface Context {
    pictures: Pictures
    pictureStore: PictureStore
    /** Throws when a page takes too long to read. A few are read at a time; owners take turns. */
    readPage(page: PageSource, line?: { owner: string; signal?: AbortSignal }): Promise<PageFacts>
  }
}
