// The sandbox: submissions and conversations of test keys. No person works on them; they go through their states by themselves.
import type { Feature } from '../../kernel/feature.ts'
import { removeOldTestConversations, removeOldTestDeliveries, removeOldTestSubmissions } from './queries.ts'
import { createSandboxWorker } from './steps.ts'
import { createSandbox } from './test-submissions.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    SANDBOX_STEP_SECONDS: number
  }
}

export const sandboxFeature = {
  removals: {
    testSubmissions: ({ since }) => removeOldTestSubmissions(since('tests')),
    testDeliveries: ({ since }) => removeOldTestDeliveries(since('tests')),
    testConversations: ({ since }) => removeOldTestConversations(since('tests')),
  },
  personalData: {
    texts: { sandbox_submissions: ['notes', 'rows'] },
    keptAtDeletion: [
      {
        table: 'sandbox_submissions',
        columns: ['tool_id', 'name', 'slug', 'website', 'website_key', 'category', 'tags', 'report_token'],
        reason: 'Test data of a partner, deleted after KEEP_TESTS_DAYS.',
      },
    ],
  },
  create: (parts) => ({
    context: { sandbox: createSandbox(parts.settings.SANDBOX_STEP_SECONDS) },
    workers: [createSandboxWorker(parts)],
  }),
} satisfies Feature
