// Partners with test keys, and what they do in their sandbox.
import { until } from './process.ts'
import type { TestService } from './service.ts'
import { statusOf } from './submissions.ts'

export interface SandboxPartner {
  id: string
  /** The live key. */
  key: string
  testKey: string
  webhookSecret: string
}

export async function newTestKey(service: TestService, partnerId: string): Promise<string> {
  const reply = await service.admin('POST', `/partners/${partnerId}/keys`, { test: true })
  if (reply.status !== 201) throw new Error(`expected 201, got ${reply.status}: ${reply.text}`)
  return reply.body.data.key
}

export async function newSandboxPartner(
  service: TestService,
  options: Record<string, unknown> = {},
): Promise<SandboxPartner> {
  const partner = (await service.newPartner({ support: 'hybrid', ...options })) as Omit<SandboxPartner, 'testKey'>
  return { ...partner, testKey: await newTestKey(service, partner.id) }
}

/** Directories `board-1` …, strongest first. */
export const directories = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    kind: 'directory',
    slug: `board-${i + 1}`,
    name: `Board ${i + 1}`,
    website: `https://board-${i + 1}.example.org`,
    domainRating: Math.max(0, 99 - i / 2),
  }))

/** Polls the status as a partner does, and returns every answer that differs from the one before it. */
export async function pollUntil(
  service: TestService,
  key: string,
  query: Record<string, string>,
  isReached: (data: any) => boolean,
): Promise<any[]> {
  const seen: any[] = []
  await until(async () => {
    const reply = await statusOf(service, key, query)
    if (reply.status !== 200) throw new Error(`expected 200, got ${reply.status}: ${reply.text}`)
    if (JSON.stringify(seen.at(-1)) !== JSON.stringify(reply.body.data)) seen.push(reply.body.data)
    return isReached(reply.body.data)
  })
  return seen
}

export const isComplete = ({ summary }: { summary: { isComplete: boolean } }): boolean => summary.isComplete
