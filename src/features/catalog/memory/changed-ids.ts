// Collects which rows of the catalog have changed: their ids (slugs for categories and tags) by topic.
import type { Change } from '../../../kernel/context.ts'
import type { DirectoryRow, ToolRow } from '../queries.ts'
import { LISTED_KINDS, TERM_KINDS, TOPIC } from '../schema.ts'

// `opens`: the numbers of click-throughs of these tools have changed, and nothing else of them.
const TOPICS = [...Object.values(TOPIC), 'opens'] as const
export type ChangeTopic = (typeof TOPICS)[number]
export type Changes = Map<ChangeTopic, Set<string>>

/** A row as the database has it; undefined when it is not published. */
export type RowOfChange = ToolRow | DirectoryRow | undefined

export const isTopic = (topic: string): topic is ChangeTopic => (TOPICS as readonly string[]).includes(topic)

/** The topics of categories and tags, whose names are part of the JSON and the text of every listing that uses them. */
export const TERM_TOPICS = TERM_KINDS.map((kind) => TOPIC[kind])

/** Adds the ids of a topic to the changes. */
export function addIds(changes: Changes, topic: ChangeTopic, ids: Iterable<string>): void {
  const all = changes.get(topic) ?? new Set()
  for (const id of ids) all.add(id)
  if (all.size > 0) changes.set(topic, all)
}

/** The changed terms, and the tools whose click-throughs have changed. */
export function changesBesideListings(list: readonly Change[]): Changes {
  const changes: Changes = new Map()
  for (const { topic, ids } of list)
    if (!LISTED_TOPICS.includes(topic)) addIds(changes, topic as ChangeTopic, ids ?? [])
  return changes
}

const LISTED_TOPICS: readonly string[] = LISTED_KINDS.map((kind) => TOPIC[kind])
