// Table of contents: every event that is sent to partners, in the order of the documentation.
import { liveEvent, lostEvent } from './features/proof/events.ts'
import { completedEvent, progressEvent } from './features/submissions/events.ts'
import { repliedEvent } from './features/support/events.ts'
import type { DeclaredEvent } from './features/webhooks/declare-event.ts'
import { testEvent } from './features/webhooks/test-event.ts'

export const webhookEvents: readonly DeclaredEvent[] = [
  completedEvent,
  repliedEvent,
  progressEvent,
  liveEvent,
  lostEvent,
  testEvent,
]
