// What the looks at websites have access to: threads that read pages from outside, and whether looks are switched on.
import type { CreateThreads, ThreadTurn } from '../../kernel/threads.ts'
import type { WebsiteQuestion, WebsiteVerdict } from './page.rules.ts'

interface HealthAccess {
  /** Whether the setting HEALTH_CHECKS is on. */
  isOn: boolean
  /** Throws when the work takes too long. */
  read(question: WebsiteQuestion, turn: ThreadTurn): Promise<WebsiteVerdict>
}

declare module '../../kernel/context.ts' {
  interface Context {
    health: HealthAccess
  }
}

const LIMITS = { atOnce: 1, timeoutMs: 15_000 }

export const createHealthAccess = (setting: 'on' | 'off', createThreads: CreateThreads): HealthAccess => ({
  isOn: setting === 'on',
  read: createThreads<WebsiteVerdict>(new URL('./read-page-thread.ts', import.meta.url), LIMITS),
})
