import { createLoadableIndex, type IndexOptions, type SearchDocument, type SearchIndex } from './search-index.ts'

/** Builds an index beside whatever else the process does: it works for a few milliseconds, then lets others go first. */
export async function buildIndex<Item>(
  pages: AsyncIterable<Iterable<SearchDocument<Item>>> | Iterable<Iterable<SearchDocument<Item>>>,
  options?: IndexOptions<Item>,
): Promise<SearchIndex<Item>> {
  const { index, load, settle } = createLoadableIndex(options)
  let sliceEnd = performance.now() + SLICE
  const breathe = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    sliceEnd = performance.now() + SLICE
  }
  // Waited for once a page: waiting for each document would cost as much as indexing it.
  for await (const documents of pages) {
    for (const document of documents) {
      load(document)
      if (performance.now() > sliceEnd) await breathe()
    }
  }
  for (const _ of settle()) {
    if (performance.now() > sliceEnd) await breathe()
  }
  return index
}

// Milliseconds: a request that arrives during a build waits hardly longer than for another request.
const SLICE = 5
