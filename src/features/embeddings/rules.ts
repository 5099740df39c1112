// Pure rules of embeddings: which listings a change affects, how a vector is stored, and what is sent when a text is refused.
import type { Change } from '../../kernel/context.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../catalog/schema.ts'

/** A text that every embedding model takes: if the endpoint refuses it, the endpoint is broken. */
export const PROBE = 'search'

/** The topics under which new and removed vectors are announced to all processes. */
export const VECTOR_TOPIC = { tool: 'toolEmbeddings', directory: 'directoryEmbeddings' } as const satisfies Record<
  ListedKind,
  string
>

/** Listings that may need another vector: those with these ids, those that use these terms, or, without both, all of the kind. */
export interface AffectedListings {
  kind: ListedKind
  ids?: string[]
  categories?: string[]
  tags?: string[]
}

/** The listings whose text a change of the catalog may have changed; undefined for other changes. */
export function listingsAffectedBy({ topic, ids }: Change): AffectedListings | undefined {
  switch (topic) {
    case TOPIC.tool:
      return { kind: 'tool', ids }
    case TOPIC.directory:
      return { kind: 'directory', ids }
    case TOPIC.category:
      return { kind: 'tool', categories: ids }
    case TOPIC.tag:
      return { kind: 'tool', tags: ids }
    case TOPIC.directoryCategory:
      return { kind: 'directory', categories: ids }
    default:
      return undefined
  }
}

export const kindOfTopic = (topic: string): ListedKind | undefined =>
  LISTED_KINDS.find((kind) => VECTOR_TOPIC[kind] === topic)

/** The direction of a vector in signed bytes: a quarter of the memory, and cosines differ by less than 0.01. */
export function quantised(vector: readonly number[]): Int8Array {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const bytes = new Int8Array(vector.length)
  for (let i = 0; i < vector.length; i++) bytes[i] = Math.round(((vector[i] as number) / largest) * 127)
  return bytes
}

// A shorter beginning would say too little about the listing.
const SHORTEST_TEXT = 200

/** Shorter beginnings of a text that the endpoint refused; it may be longer than the model takes. */
export const shorterTexts = (text: string): string[] =>
  [2, 4, 8]
    .map((part) => text.slice(0, Math.ceil(text.length / part)).toWellFormed())
    .filter(({ length }) => length >= SHORTEST_TEXT)

const MAX_QUESTION = 500

/** Questions that differ only in white space are the same question. */
export const normalQuestion = (question: string): string =>
  question.slice(0, MAX_QUESTION).toWellFormed().normalize('NFC').replace(/\s+/g, ' ').trim()
