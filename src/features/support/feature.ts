// Questions of the customers of partners: answered from articles or by a language model, or by a person.
import type { Feature, LoadedRow } from '../../kernel/feature.ts'
import { type MetricQuery, metricOfRows } from '../../kernel/interfaces/metrics.ts'
import { builtInAnswerer, createModelAnswerer } from './answers/answerers.ts'
import { repliedEvent } from './conversation-response.ts'
import { deskOperations } from './inbox/desk.operations.ts'
import { inboxOperations } from './inbox/inbox.operations.ts'
import { knowledgeOperations } from './knowledge/knowledge.operations.ts'
import { createKnowledgeCache } from './knowledge/knowledge-cache.ts'
import { articleProblem } from './knowledge/retrieval.rules.ts'
import { ownConversationOperations, supportOperations } from './operations.ts'
import { removeOldConversations } from './queries.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    LLM_TIMEOUT_SECONDS: number
  }
}

export const supportFeature = {
  operations: supportOperations,
  operatorOperations: [...inboxOperations, ...deskOperations, ...knowledgeOperations],
  accountOperations: ownConversationOperations,
  events: [repliedEvent],
  removals: { conversations: ({ since }) => removeOldConversations(since('conversations')) },
  personalData: {
    labels: { support_desks: ['assignee'], support_messages: ['author'] },
    texts: {
      support_conversations: ['external_id', 'customer', 'metadata'],
      support_desks: ['internal_notes'],
      support_messages: ['content', 'passages', 'not_answered', 'peer_message_id'],
    },
    uniqueTexts: ['support_conversations.external_id', 'support_messages.peer_message_id'],
    keptAtDeletion: [
      {
        table: 'support_articles',
        reason: 'Knowledge that the operator or a partner wrote for all.',
        countedAtDeletion: true,
      },
      { table: 'support_saved_replies', reason: 'Replies that administrators wrote for all.', countedAtDeletion: true },
    ],
  },
  loadedRows: [
    {
      kind: 'article',
      select: 'select id, title, body from support_articles',
      problem: (row) => articleProblem(row as LoadedRow & { title: string; body: string }),
    },
  ],
  create({ settings, shared, log, query }) {
    const { languageModel, brokenRows } = shared
    const answerer = languageModel
      ? createModelAnswerer(languageModel, log, settings.LLM_TIMEOUT_SECONDS * 1000)
      : builtInAnswerer
    return { context: { knowledge: createKnowledgeCache(brokenRows), answerer }, metrics: supportMetrics(query) }
  },
} satisfies Feature

export const supportMetrics = (query: MetricQuery) => [
  metricOfRows(
    query,
    'catalog_support_conversations',
    'Support conversations by status.',
    'select status, count(*) as value from support_conversations where not test group by 1',
    ['status'],
  ),
]
