import type { IndexOptions, SearchDocument, SearchIndex } from './index-interface.ts'
import { createIndex } from './search-index.ts'

/** The documents of one step: few enough that a step takes about two milliseconds. */
const TOGETHER = 16

/** Makes an index while the process serves requests: `pause` is called after each step, and awaited when it returns a promise. */
export async function buildIndex<Item>(
  pages: AsyncIterable<Iterable<SearchDocument<Item>>> | Iterable<Iterable<SearchDocument<Item>>>,
  options?: IndexOptions<Item>,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<SearchIndex<Item>> {
  const index = createIndex(options)
  for await (const page of pages) {
    // Of several documents with the same id the last counts.
    const documents = [...new Map(Array.from(page, (document) => [document.id, document])).values()]
    for (let at = 0; at < documents.length; at += TOGETHER) {
      index.putAll(documents.slice(at, at + TOGETHER), [])
      await pause()
    }
  }
  return index
}
