// A service that looks at listings on loopback, and submissions with listings in many directories.
import type { Receiver } from './receiver.ts'
import { startService, type TestService } from './service.ts'
import { queue, submitted } from './submissions.ts'

export const startCheckingService = (environment: Record<string, string> = {}): Promise<TestService> =>
  startService({ LINK_CHECKS: 'on', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ...environment })

/** A catalog with so many directories, d-0, d-1 …. */
export const loadDirectories = (service: TestService, count: number): Promise<void> =>
  service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    ...Array.from({ length: count }, (_, i) => ({
      kind: 'directory',
      slug: `d-${i}`,
      name: `Directory ${i}`,
      website: `https://d-${i}.example.org`,
      domainRating: 90 - (i % 80),
    })),
  ])

/** The submission in the queue of a product that was just submitted. */
export async function newWork(service: TestService, partner: { id: string; key: string }, more: object = {}) {
  const tool = await submitted(service, partner.key, { paymentType: 'starter', ...more })
  const item = (await queue(service, { client: partner.id })).find(({ toolId }) => toolId === tool.id)
  return { ...item, slug: tool.slug as string, id: item.id as string }
}

export async function record(service: TestService, id: string, directory: string, listingUrl: string | null) {
  const body = { isSubmitted: true, listingUrl }
  const reply = await service.admin('PUT', `/submissions/${id}/directories/${directory}`, body)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body.data
}

/** Asks for the further events; the two of the specification are always sent. */
export const wantEvents = (service: TestService, partnerId: string, events: readonly string[]) =>
  service.sql(`update partners set events = '{${events.join(',')}}' where id = '${partnerId}'`)

export const eventsAt = (receiver: Receiver, path: string): any[] =>
  receiver.at(path).map(({ body }) => JSON.parse(body.toString()))
