import { Type } from 'typebox'

const count = (description: string) => Type.Integer({ description, examples: [3] })

export const overviewSchema = Type.Object(
  {
    submissions: Type.Object(
      {
        WAITING: count('Without a package.'),
        IN_QUEUE: count('Not yet taken by anybody.'),
        ASSIGNED: count('Taken, not yet begun.'),
        IN_PROGRESS: count('Being worked.'),
        REVIEW: count('Entered, to be looked over.'),
        DONE: count('Done.'),
      },
      { description: 'Submissions by state.' },
    ),
    pendingConversations: count('Conversations that wait for a person.'),
    openWebhooks: count('Deliveries that failed or are unknown and were not sent again since.'),
    failedEnrichments: count('Listings whose enrichment failed.'),
  },
  { description: 'What waits.' },
)
