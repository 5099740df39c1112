// "Every write is in the audit log": what a piece of work added to it.
import { expect } from 'vitest'
import type { TestService } from './service.ts'

export interface AuditRow {
  id: number
  at: string
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
}

/** The rows that `work` added, oldest first; enrichment writes its own in its own time. */
export async function audited(service: TestService, work: () => Promise<unknown>): Promise<AuditRow[]> {
  const read = async (): Promise<AuditRow[]> => (await service.admin('GET', '/audit?limit=1000')).body.data
  const last = (await read())[0]?.id ?? 0
  await work()
  return (await read()).filter(({ id, actor }) => id > last && actor !== 'enrichment').reverse()
}

/** Exactly one row, by the operator, of this action on this subject. */
export async function expectAudited(
  service: TestService,
  action: string,
  subject: string | RegExp,
  work: () => Promise<unknown>,
): Promise<void> {
  const rows = await audited(service, work)
  expect(rows).toEqual([
    {
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      actor: 'operator',
      action,
      subject: expect.stringMatching(subject),
      details: expect.any(Object),
    },
  ])
}
