// The page and picture services that enrichment uses. The platform provides the pictures; `feature.ts` provides `readPage`.
import type { PictureType, PictureUse } from '../../kernel/own-addresses.ts'
import type { PictureStore, ShareCard } from '../../kernel/picture-store.ts'
import type { PageFacts, PageSource } from './page.rules.ts'

export interface Pictures {
  /**
   * The picture in the form that the service serves, or its problem as the end of a sentence. One picture is encoded at a time, and owners
   * take turns. When `signal` is aborted, the call fails with its reason.
   */
  encode(
    bytes: Buffer,
    use: PictureUse,
    turn?: { owner: string; signal?: AbortSignal },
  ): Promise<{ bytes: Buffer; type: PictureType } | { problem: string }>
  /** Draws the picture that other sites show with a link to a page, as PNG. It waits in the same queue as `encode`. */
  drawShare(card: ShareCard): Promise<Buffer>
}

declare module '../../kernel/context.ts' {
  interface Context {
    pictures: Pictures
    pictureStore: PictureStore
    /** Throws when a page takes too long to read. A few pages are read at a time, and owners take turns. */
    readPage(page: PageSource, turn?: { owner: string; signal?: AbortSignal }): Promise<PageFacts>
  }
}
