import type { Feature } from '../../kernel/feature.ts'
import { mailCaller, mailJob } from './jobs.ts'
import { mailMetrics } from './metrics.ts'
import { removeOldMails } from './queries.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    MAIL_FROM: string | undefined
  }
}

export const mail = {
  removals: { mails: ({ since }) => removeOldMails(since('mails')) },
  create: ({ settings, shared, contextOf, query }) => ({
    jobs: shared.mailer ? [mailJob(() => contextOf(mailCaller), settings.MAIL_FROM)] : [],
    metrics: mailMetrics(query),
  }),
} satisfies Feature
