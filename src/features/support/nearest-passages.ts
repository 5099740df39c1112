// Finds the passages that a language model gets, with the search of the catalog, because it also finds words of similar meaning.
// `node bench/support-search.ts` compares it with the built-in search.
import { createPauses } from '../../kernel/scheduler.ts'
import { buildIndex, type SearchDocument, type SearchIndex } from '../../search/index.ts'
import { loadVectors } from '../catalog/listing-states.ts'
import type { Passage } from './passages.rules.ts'
import type { Knowledge } from './retrieval.rules.ts'

/** An index is built for the first question to a language model, and kept as long as its knowledge is. */
const indexes = new WeakMap<Knowledge, Promise<SearchIndex<Passage>>>()

function searchIndexOf(knowledge: Knowledge): Promise<SearchIndex<Passage>> {
  const known = indexes.get(knowledge)
  if (known) return known
  const built = buildIndex<Passage>([documentsOf(knowledge)], { vectors: loadVectors() }, createPauses())
  indexes.set(knowledge, built)
  // A failed index is not kept, so that the next question builds it again.
  built.catch(() => indexes.delete(knowledge))
  return built
}

function* documentsOf({ passages }: Knowledge): Generator<SearchDocument<Passage>> {
  for (const [i, passage] of passages.entries())
    yield {
      id: String(i),
      text: [passage.title, passage.text, ''],
      facets: [],
      popularity: 0,
      recency: 0,
      item: passage,
    }
}

/** The best first. If the search finds fewer than `limit`, passages of the built-in search follow, and then any others. */
export async function nearestPassages(knowledge: Knowledge, question: string, limit: number): Promise<Passage[]> {
  const index = await searchIndexOf(knowledge)
  const found = index.find({ q: question, partial: true, offset: 0, limit }).items
  if (found.length >= limit) return found
  const others = knowledge.find(question).map(({ passage }) => passage)
  return [...new Set([...found, ...others, ...knowledge.passages])].slice(0, limit)
}
