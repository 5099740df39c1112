// Which rows of the catalog have changed, by topic.
import type { Change } from '../../kernel/context.ts'
import { TERM_KINDS, TOPIC } from './schema.ts'

export const TOPICS = [...Object.values(TOPIC), 'opens'] as const
export type Topic = (typeof TOPICS)[number]
export type Changes = Map<Topic, Set<string>>

export const isTopic = (topic: string): topic is Topic => (TOPICS as readonly string[]).includes(topic)

/** A writer does not wait until click-throughs are seen. */
export const isAwaited = (topic: string): boolean => isTopic(topic) && topic !== 'opens'

/** The names of terms are part of the JSON and the text of every listing that uses them. */
export const TERM_TOPICS = TERM_KINDS.map((kind) => TOPIC[kind])

export function add(changes: Changes, topic: Topic, ids: Iterable<string>): void {
  const all = changes.get(topic) ?? new Set()
  for (const id of ids) all.add(id)
  if (all.size > 0) changes.set(topic, all)
}

export function addAll(changes: Changes, more: Changes): void {
  for (const [topic, ids] of more) add(changes, topic, ids)
}

export function changesOf(list: readonly Change[]): Changes {
  const changes: Changes = new Map()
  for (const { topic, ids } of list) add(changes, topic as Topic, ids ?? [])
  return changes
}
