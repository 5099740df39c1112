// The passages that a language model is given, found by the search of the catalog, which knows words of like meaning. `node bench/support-search.ts`
// compares it with the built-in search; that one decides alone whether a passage is an answer.
import { createPauses } from '../../kernel/scheduler.ts'
import { buildIndex, type SearchDocument, type SearchIndex } from '../../search/index.ts'
import { loadVectors } from '../catalog/listing-states.ts'
import type { Passage } from './passages.rules.ts'
import type { Knowledge } from './retrieval.rules.ts'

/** Made with the first question to a language model, and kept as long as the knowledge itself. */
const indexes = new WeakMap<Knowledge, Promise<SearchIndex<Passage>>>()

function indexOf(knowledge: Knowledge): Promise<SearchIndex<Passage>> {
  const known = indexes.get(knowledge)
  if (known) return known
  const built = buildIndex<Passage>([documentsOf(knowledge)], { vectors: loadVectors() }, createPauses())
  indexes.set(knowledge, built)
  // A failure is not remembered: the next question builds it again.
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

/** The best first; where fewer are found, those of the built-in search follow, and then any others. */
export async function nearestPassages(knowledge: Knowledge, question: string, most: number): Promise<Passage[]> {
  const index = await indexOf(knowledge)
  const found = index.find({ q: question, partial: true, offset: 0, limit: most }).items
  if (found.length >= most) return found
  const others = knowledge.find(question).map(({ passage }) => passage)
  return [...new Set([...found, ...others, ...knowledge.passages])].slice(0, most)
}
