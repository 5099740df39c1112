// Support as partners and administrators use it, and a few articles whose answers are known.
import { createKnowledge, type Knowledge } from '../../src/features/support/knowledge/retrieval.rules.ts'
import type { Reply, RequestOptions, TestService } from './service.ts'

export const REFUND_PASSAGE =
  'Approved refunds arrive on your bank statement within 5 business days. Write to billing@acme.example with the number of the invoice.'
export const REFUNDS = {
  title: 'Refunds',
  body: `You can ask for a refund within 14 days of your first payment, in Settings > Billing.\n\n${REFUND_PASSAGE}`,
}
export const INVOICE_PASSAGE =
  'Every invoice is sent by e-mail to the owner of the workspace and can be downloaded as a PDF.'
export const INVOICES = {
  title: 'Invoices',
  body: `${INVOICE_PASSAGE}\n\nThe company address on an invoice can be corrected once, within 30 days.`,
}
export const KNOWLEDGE = [REFUNDS, INVOICES]

/** Questions that ARRIVAL answers, that PDF answers, and that no article answers. */
export const ABOUT_REFUNDS = 'When does a refund arrive on the bank statement?'
export const ABOUT_INVOICES = 'Can I download an invoice as a PDF?'
export const UNRELATED = 'What is the weather in Lisbon?'

/** The fields of a conversation in alphabetical order. */
export const HYBRID_FIELDS = ['externalId', 'id', 'messages', 'reply', 'replySource', 'status']
export const HYBRID_LIST_FIELDS = HYBRID_FIELDS.filter((name) => name !== 'messages')
export const HUMAN_FIELDS = ['externalId', 'id', 'message', 'status']
export const keysOf = (value: object): string[] => Object.keys(value).sort()

export const NOT_FOUND = JSON.stringify({
  success: false,
  error: 'Conversation not found.',
  code: 'not_found',
})

export interface SupportPartner {
  id: string
  key: string
  webhookSecret: string
}

export const newSupportPartner = (
  service: TestService,
  support: 'off' | 'hybrid' | 'human' = 'hybrid',
  more: Record<string, unknown> = {},
): Promise<SupportPartner> => service.newPartner({ support, ...more }) as Promise<SupportPartner>

export const ask = (
  service: TestService,
  key: string | null,
  body: unknown,
  more: RequestOptions = {},
): Promise<Reply> => service.rest('/support/ask', { method: 'POST', key, body, ...more })

/** Asks a question and returns `data`. */
export async function asked(service: TestService, key: string, body: Record<string, unknown> | string): Promise<any> {
  return dataOf(await ask(service, key, typeof body === 'string' ? { question: body } : body))
}

export const read = (service: TestService, key: string | null, id: string): Promise<Reply> =>
  service.rest(`/support/conversations/${encodeURIComponent(id)}`, { key })

export const list = (service: TestService, key: string | null, query: Record<string, string> = {}): Promise<Reply> =>
  service.rest(`/support/conversations?${new URLSearchParams(query)}`, { key })

/** The conversations in the operator's inbox. */
export const inbox = async (service: TestService, query: Record<string, string> = {}): Promise<any[]> =>
  dataOf(await service.admin('GET', `/support/conversations?${new URLSearchParams(query)}`))

/** One conversation as the operator sees it. */
export const thread = async (service: TestService, id: string): Promise<any> =>
  dataOf(await service.admin('GET', `/support/conversations/${id}`))

export const reply = (service: TestService, id: string, content: unknown): Promise<Reply> =>
  service.admin('POST', `/support/conversations/${id}/reply`, { content })

const pathOf = (partnerId: string | null) => (partnerId === null ? '/knowledge' : `/partners/${partnerId}/knowledge`)

/** Replaces the articles of a partner, or with null those for all partners. */
export const putArticles = async (service: TestService, partnerId: string | null, articles: object[]): Promise<any[]> =>
  dataOf(await service.admin('PUT', pathOf(partnerId), { articles })).articles

export const articlesOf = async (service: TestService, partnerId: string | null): Promise<any[]> =>
  dataOf(await service.admin('GET', pathOf(partnerId))).articles

export const inParallel = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

export function dataOf(reply: Reply, status = 200): any {
  if (reply.status !== status) throw new Error(`expected ${status}, got ${reply.status}: ${reply.text.slice(0, 500)}`)
  return reply.body.data
}

export function knowledgeOfArticles(articles: readonly { id: string; title: string; body: string }[]): Knowledge {
  const knowledge = createKnowledge()
  for (const article of articles) knowledge.add(article)
  return knowledge
}
