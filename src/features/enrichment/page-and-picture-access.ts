// The services for pages and pictures that enrichment uses; the platform implements them.
import type { PictureType, PictureUse } from '../../kernel/own-addresses.ts'
import type { PictureStore } from '../../kernel/picture-store.ts'
import type { ShareCard } from '../../kernel/share-card.ts'
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
  /** The picture that other sites show with a link to a page, as PNG. It takes turns with `encode`. */
  drawShare(card: ShareCard): Promise<Buffer>
}

declare module '../../kernel/context.ts' {
  interface Context {
    pictures: Pictures
    pictureStore: PictureStore
    /** Throws when a page takes too long to read. A few pages are read at a time, and owners take turns. */
    readPage(page: PageSource, line?: { owner: string; signal?: AbortSignal }): Promise<PageFacts>
  }
}
