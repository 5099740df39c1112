// Mails to users: which there are, the queue that sends them, and what became of them.
import type { Feature } from '../../kernel/feature.ts'
import { metricOfRows } from '../../kernel/interfaces/metrics.ts'
import { mailCaller, mailJob } from './jobs.ts'
import { removeOldMails } from './queries.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    MAIL_FROM: string | undefined
  }
}

export const mailFeature = {
  removals: { mails: ({ since }) => removeOldMails(since('mails')) },
  personalData: { ofAccount: ['mails'] },
  create: ({ settings, shared, contextOf, query }) => ({
    jobs: shared.mailer ? [mailJob(() => contextOf(mailCaller), settings.MAIL_FROM)] : [],
    metrics: [
      metricOfRows(
        query,
        'catalog_mails',
        'Mails of the last 24 hours by kind and state.',
        `select kind, state, count(*) as value from mails where created_at > now() - interval '24 hours' group by 1, 2`,
        ['kind', 'state'],
      ),
    ],
  }),
} satisfies Feature
