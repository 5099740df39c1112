// An event is declared once: its body is written by this schema, and the OpenAPI document and the page for developers describe it.
import type { Static, TSchema } from 'typebox'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { writer } from '../../kernel/output.ts'
import { EVENTS, type EventName } from './schema.ts'

export interface WrittenEvent<N extends EventName, B extends TSchema> extends DeclaredEvent {
  name: N
  body: B
  /** The bytes that are signed and sent. */
  write(body: Static<B>): string
}

export const declareEvent = <const N extends EventName, B extends TSchema>(name: N, body: B): WrittenEvent<N, B> => ({
  name,
  when: EVENTS[name],
  body,
  write: writer(body),
})
