import type { IndexOptions, SearchDocument, SearchIndex } from './index-interface.ts'
import { createLoadableIndex } from './search-index.ts'

/** Builds an index while the process serves requests: after every few milliseconds of work it yields to the event loop. */
export async function buildIndex<Item>(
  pages: AsyncIterable<Iterable<SearchDocument<Item>>> | Iterable<Iterable<SearchDocument<Item>>>,
  options?: IndexOptions<Item>,
): Promise<SearchIndex<Item>> {
  const { index, load, settle } = createLoadableIndex(options)
  let sliceEnd = performance.now() + SLICE_MS
  const yieldToEventLoop = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    sliceEnd = performance.now() + SLICE_MS
  }
  // One await for each page: an await for each document would cost as much as indexing it.
  for await (const documents of pages) {
    for (const document of documents) {
      load(document)
      if (performance.now() > sliceEnd) await yieldToEventLoop()
    }
  }
  for (const _ of settle()) {
    if (performance.now() > sliceEnd) await yieldToEventLoop()
  }
  return index
}

// About as long as one request takes, so a request that arrives during a build waits hardly longer than usual.
const SLICE_MS = 5
