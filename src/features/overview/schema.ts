import { Type } from 'typebox'
import { BROKEN_KINDS } from '../../kernel/checks/broken-rows.ts'
import { integerType, objectType, oneOf, stringType, titledObject } from '../../kernel/schema.ts'
import { MAIL_KINDS, MAIL_STATES } from '../mail/schema.ts'
import { type QueueState, STATE_MEANINGS } from '../submissions/rules.ts'

const count = (description: string) => integerType(description, 3)

export const overviewSchema = titledObject('Overview', 'What waits.', {
  submissions: objectType(
    'Submissions by state.',
    Object.fromEntries(Object.entries(STATE_MEANINGS).map(([state, meaning]) => [state, count(meaning)])) as Record<
      QueueState,
      ReturnType<typeof count>
    >,
  ),
  pendingConversations: count('Conversations that wait for a person.'),
  openWebhooks: count('Deliveries that failed or are unknown and were not sent again since.'),
  failedEnrichments: count('Listings whose enrichment failed.'),
  brokenRows: count('Stored rows that are not as they must be and that readers are not shown.'),
  listingsToReview: Type.Optional(count('Submitted listings that wait for an administrator; absent when none does.')),
  embeddings: Type.Optional(
    objectType('The vectors of listings; absent when no embedding endpoint is set up.', {
      made: count('Published listings that have a vector.'),
      waiting: count('Listings whose vector is still to be made.'),
      refused: count('Listings that the endpoint gives no vector for; they are tried again every day.'),
    }),
  ),
  mailProblems: Type.Optional(
    Type.Array(
      titledObject('MailProblem', 'Mails of one kind that were not sent for one reason.', {
        kind: oneOf(MAIL_KINDS, 'What the mails are about.', 'reset'),
        state: oneOf(MAIL_STATES, 'What became of them.', 'failed'),
        problem: stringType(
          "Why they were not sent, with the numbers of the server's answer.",
          'The mail server refuses the mail: EENVELOPE 553 after MAIL FROM.',
        ),
        remedy: stringType('What to do.', 'Set MAIL_FROM.'),
        count: count('How many mails.'),
      }),
      { description: 'Mails of the last day that were not sent, the most frequent first; absent when there are none.' },
    ),
  ),
  unheldKeys: count('Live keys that no one has: their answer was cut off and they were never used.'),
})

export const waitingSchema = titledObject('Waiting', 'How much waits.', {
  queue: count('Submissions in the queue.'),
  orders: count('Orders of founders that are paid and not begun.'),
  reviews: Type.Optional(count('Products of founders that wait for a decision; absent while founders send none.')),
  proposals: count('Proposed changes of listings that wait for a decision.'),
  inbox: count('Conversations that wait for a person.'),
  lostLinks: count('Links on listings that were there and are lost.'),
  health: count('Listings that are gone, parked or moved and wait for a decision.'),
  visitorReports: count('Listings that visitors have reported and that wait for an answer.'),
})

export const brokenRowSchema = titledObject(
  'BrokenRow',
  'A stored row that is left out because it is not as it must be.',
  {
    kind: oneOf(BROKEN_KINDS, 'What it is.', 'tool'),
    id: stringType('Its identifier, or its slug where it has none.', '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'),
    name: stringType('What operators know it by, such as a slug.', 'acme-writer'),
    reason: stringType('What is wrong with it.', 'faqs.0.answer is missing.'),
  },
)
