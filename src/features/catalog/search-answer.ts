// Answers a search by its words. If the operator has set up an embedding endpoint, its vectors help to rank partial matches.
import type { Context } from '../../kernel/context.ts'
import type { MeaningSearch, Nearness } from '../../kernel/interfaces/embedding-model.ts'
import type { CachedAnswer } from '../../kernel/output.ts'
import { cachedAnswer, type SearchAnswer } from './answer-cache.ts'
import type { Snapshot } from './memory/snapshot.ts'

type MakePage = (snapshot: Snapshot, nearness?: Nearness) => SearchAnswer

export function searchAnswer(
  ctx: Context,
  name: string,
  input: { q?: string },
  make: MakePage,
): CachedAnswer | Promise<CachedAnswer> {
  const { catalog, meaning } = ctx
  const byWords = countIfUnfound(
    ctx,
    cachedAnswer(catalog, name, input, (snapshot) => make(snapshot)),
  )
  if (!meaning || meaning.size() === 0 || input.q === undefined || byWords.prepared.match !== 'partial') return byWords
  return rankedByEndpoint(catalog, meaning, name, input.q, input, make, byWords)
}

async function rankedByEndpoint(
  catalog: Context['catalog'],
  meaning: MeaningSearch,
  name: string,
  question: string,
  input: object,
  make: MakePage,
  byWords: CachedAnswer,
): Promise<CachedAnswer> {
  const nearness = await meaning.ask(question)
  // Not cached, because the vector of the question may have arrived when the next client asks.
  if (!nearness) return { prepared: { ...byWords.prepared, ranking: 'words' }, isCurrent: () => false }
  const version = meaning.version()
  const answer = cachedAnswer(catalog, `${name} ${version}`, input, (snapshot) => make(snapshot, nearness))
  return { ...answer, isCurrent: () => answer.isCurrent() && meaning.version() === version }
}

/** Counts a search that found nothing, or only partial matches. The REST surface counts those that it answers from its own cache itself. */
function countIfUnfound({ unfound, caller }: Context, answer: CachedAnswer): CachedAnswer {
  if (answer.prepared.unfound) unfound.note(answer.prepared.unfound, caller)
  return answer
}
