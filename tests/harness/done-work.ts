// Submits a tool as a partner, marks it Done as an administrator, and reads the webhook deliveries that follow.
import { until } from './process.ts'
import type { Reply, TestService } from './service.ts'

export interface WebhookPartner {
  id: string
  key: string
  webhookSecret: string
}

let serial = 0

export const newSubmission = (fields: object = {}) => ({
  name: `Tool ${++serial}`,
  website: `https://tool-${serial}-${process.pid}.example.com`,
  tagline: 'A tool',
  description: 'A tool.',
  category: 'writing',
  pricing: 'FREE',
  founderName: 'Ada',
  founderEmail: 'ada@example.com',
  tags: [],
  paymentType: 'starter',
  icon: 'https://example.com/icon.png',
  frame: 'https://example.com/frame.png',
  ...fields,
})

/** Returns the id of the submitted tool, which identifies its submission too. */
export async function submitTool(service: TestService, partner: WebhookPartner, fields: object = {}): Promise<string> {
  const reply = await service.rest('/submit-ai-tool', { method: 'POST', key: partner.key, body: newSubmission(fields) })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.body.data.id
}

export const markDone = (service: TestService, toolId: string, body: object = {}): Promise<Reply> =>
  service.admin('POST', `/submissions/${toolId}/done`, body)

export interface Delivery {
  id: string
  eventId: string
  event: string
  clientId: string
  state: 'pending' | 'delivered' | 'failed' | 'unknown'
  status: number | null
  error: string | null
  durationMs: number | null
  answer: string | null
  attemptedAt: string | null
  createdAt: string
}

export const deliveriesOf = async (service: TestService, partner: { id: string }): Promise<Delivery[]> =>
  (await service.admin('GET', `/webhooks?client=${partner.id}`)).body.data

/** Waits until the partner has `count` deliveries and each has an outcome; newest first. */
export async function outcomesOf(service: TestService, partner: { id: string }, count = 1): Promise<Delivery[]> {
  let deliveries: Delivery[] = []
  await until(async () => {
    deliveries = await deliveriesOf(service, partner)
    return deliveries.length === count && deliveries.every(({ state }) => /delivered|failed/.test(state))
  })
  return deliveries
}
