// Caches the answers of catalog operations, because clients repeat the same few requests. An answer of a search is kept until a listing
// changes that is or could be among the matches, every other answer until the catalog changes. Searches by words are answered through it, ranked
// by the vectors of an embedding endpoint where the operator has set up one.

import type { Context } from '../../kernel/context.ts'
import type { MeaningSearch, Nearness } from '../../kernel/interfaces/embedding-model.ts'
import { type CachedAnswer, type Prepared, prepare, type SearchMatch, type UnfoundAnswer } from '../../kernel/output.ts'
import type { Catalog, Snapshot } from './memory/snapshot.ts'
import type { Taxonomy } from './rules.ts'

/** An answer before it is cached: its JSON, and what clients are told beside it. */
export interface SearchAnswer {
  json: Buffer
  match?: SearchMatch
  understood?: string
  missing?: string
  unfound?: UnfoundAnswer
  note?: string
  /** Whether the search would still give the same answer. Without it, the answer is right until the next change of the catalog. */
  stillHolds?: () => boolean
  /** Returns the answer with the present number of matches; undefined when the search would give another page. */
  recounted?: () => SearchAnswer | undefined
}

// Enough for all frequent requests, and a small part of the memory of a process.
const MAX_CACHED_ANSWERS = 4_000
const MAX_CACHED_BYTES = 64 * 1024 * 1024
// An answer may also be kept in the two compressed forms that clients ask for, each about a third of its size, and as a JSON string for
// MCP.
const ALL_FORMS_FACTOR = 2.9

/** An answer in the cache; see SearchAnswer for the functions. */
interface RememberedAnswer {
  prepared: Prepared
  /** The newest version of the catalog for which the answer is known to be right. */
  version: number
  /** The categories and tags with which it was made. */
  taxonomy: Taxonomy
  stillHolds?: () => boolean
  recounted?: () => SearchAnswer | undefined
}

interface AnswerCache {
  bytes: number
  answers: Map<string, RememberedAnswer>
}

const answerCaches = new WeakMap<Catalog, AnswerCache>()

/** The answer to a request: the remembered one while no change of the catalog can have changed it, otherwise one that `make` makes. */
export function cachedAnswer(
  catalog: Catalog,
  name: string,
  input: object,
  make: (snapshot: Snapshot) => Buffer | SearchAnswer,
): CachedAnswer {
  const cacheKey = name + JSON.stringify(input)
  let cache = answerCaches.get(catalog)
  if (!cache || cache.answers.size >= MAX_CACHED_ANSWERS || cache.bytes >= MAX_CACHED_BYTES) {
    cache = { bytes: 0, answers: new Map() }
    answerCaches.set(catalog, cache)
  }
  let answer = cache.answers.get(cacheKey)
  if (!answer || !isRight(catalog, answer)) {
    const { recounted } = answer && isComparable(catalog, answer) ? answer : {}
    // Removed before the new answer is made, because making it may throw.
    if (answer && cache.answers.delete(cacheKey)) cache.bytes -= bytesOf(answer)
    answer = makeAnswer(catalog, (snapshot) => recounted?.() ?? make(snapshot))
    cache.answers.set(cacheKey, answer)
    cache.bytes += bytesOf(answer)
  }
  const [own, kept] = [cache, answer]
  return {
    prepared: kept.prepared,
    // Other caches that keep the answer must drop it together with this one, because only this one counts its bytes.
    isCurrent: () => answerCaches.get(catalog) === own && own.answers.get(cacheKey) === kept && isRight(catalog, kept),
  }
}

const bytesOf = ({ prepared }: RememberedAnswer): number => prepared.json.length * ALL_FORMS_FACTOR

function makeAnswer(catalog: Catalog, make: (snapshot: Snapshot) => Buffer | SearchAnswer): RememberedAnswer {
  const version = catalog.version()
  const snapshot = catalog.snapshot()
  const made = make(snapshot)
  if (!('json' in made)) return { prepared: prepare(made), version, taxonomy: snapshot.taxonomy }
  const { stillHolds, recounted, ...answer } = made
  return { prepared: { ...answer, ...prepare(made.json) }, version, taxonomy: snapshot.taxonomy, stillHolds, recounted }
}

/** Whether categories and tags are the same as when the answer was made, so that only a change of listings can have changed it. */
const isComparable = (catalog: Catalog, { taxonomy }: RememberedAnswer): boolean =>
  catalog.isReady() && catalog.snapshot().taxonomy === taxonomy

/** Whether the answer is right for the catalog as it is now. */
function isRight(catalog: Catalog, answer: RememberedAnswer): boolean {
  const version = catalog.version()
  if (answer.version === version) return true
  if (!isComparable(catalog, answer) || !answer.stillHolds?.()) return false
  answer.version = version
  return true
}

type MakePage = (snapshot: Snapshot, nearness?: Nearness) => SearchAnswer

/**
 * Answers a search by its words. If the operator has set up an embedding endpoint, its vectors help to rank partial matches.
 */
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
