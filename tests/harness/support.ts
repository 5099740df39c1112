// Support as partners and administrators use it, and a few articles whose answers are known.
import type { Ask, Reply, TestService } from './service.ts'

export const ARRIVAL =
  'Approved refunds arrive on your bank statement within 5 business days. Write to billing@acme.example with the number of the invoice.'
export const REFUNDS = {
  title: 'Refunds',
  body: `You can ask for a refund within 14 days of your first payment, in Settings > Billing.\n\n${ARRIVAL}`,
}
export const PDF = 'Every invoice is sent by e-mail to the owner of the workspace and can be downloaded as a PDF.'
export const INVOICES = {
  title: 'Invoices',
  body: `${PDF}\n\nThe company address on an invoice can be corrected once, within 30 days.`,
}
export const KNOWLEDGE = [REFUNDS, INVOICES]

/** Questions that ARRIVAL answers, that PDF answers, and that no article answers. */
export const ABOUT_REFUNDS = 'When does a refund arrive on the bank statement?'
export const ABOUT_INVOICES = 'Can I download an invoice as a PDF?'
export const UNRELATED = 'What is the weather in Lisbon?'

/** The fields of a conversation in alphabetical order. */
export const HYBRID = ['externalId', 'id', 'messages', 'reply', 'replySource', 'status']
export const HYBRID_LISTED = HYBRID.filter((name) => name !== 'messages')
export const HUMAN = ['externalId', 'id', 'message', 'status']
export const keysOf = (value: object): string[] => Object.keys(value).sort()

export const NOT_FOUND = JSON.stringify({ success: false, error: 'Conversation not found.' })

export interface Client {
  id: string
  key: string
  webhookSecret: string
}

export const newClient = (
  service: TestService,
  support: 'off' | 'hybrid' | 'human' = 'hybrid',
  more: Record<string, unknown> = {},
): Promise<Client> => service.newPartner({ support, ...more }) as Promise<Client>

export const ask = (service: TestService, key: string | null, body: unknown, more: Ask = {}): Promise<Reply> =>
  service.rest('/support/ask', { method: 'POST', key, body, ...more })

/** Asks a question and returns `data`. */
export async function asked(service: TestService, key: string, body: Record<string, unknown> | string): Promise<any> {
  return must(await ask(service, key, typeof body === 'string' ? { question: body } : body))
}

export const read = (service: TestService, key: string | null, id: string): Promise<Reply> =>
  service.rest(`/support/conversations/${encodeURIComponent(id)}`, { key })

export const list = (service: TestService, key: string | null, query: Record<string, string> = {}): Promise<Reply> =>
  service.rest(`/support/conversations?${new URLSearchParams(query)}`, { key })

/** The conversations in the operator's inbox. */
export const inbox = async (service: TestService, query: Record<string, string> = {}): Promise<any[]> =>
  must(await service.admin('GET', `/support/conversations?${new URLSearchParams(query)}`))

/** One conversation as the operator sees it. */
export const thread = async (service: TestService, id: string): Promise<any> =>
  must(await service.admin('GET', `/support/conversations/${id}`))

export const reply = (service: TestService, id: string, content: unknown): Promise<Reply> =>
  service.admin('POST', `/support/conversations/${id}/reply`, { content })

const pathOf = (partnerId: string | null) => (partnerId === null ? '/knowledge' : `/partners/${partnerId}/knowledge`)

/** Replaces the articles of a partner, or with null those for all partners. */
export const teach = async (service: TestService, partnerId: string | null, articles: object[]): Promise<any[]> =>
  must(await service.admin('PUT', pathOf(partnerId), { articles })).articles

export const articlesOf = async (service: TestService, partnerId: string | null): Promise<any[]> =>
  must(await service.admin('GET', pathOf(partnerId))).articles

export const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

export function must(reply: Reply, status = 200): any {
  if (reply.status !== status) throw new Error(`expected ${status}, got ${reply.status}: ${reply.text.slice(0, 500)}`)
  return reply.body.data
}
