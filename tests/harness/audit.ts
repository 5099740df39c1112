// "Every write is in the audit log": reads the rows that an action added to the log.
import { expect } from 'vitest'
import type { TestService } from './service.ts'

interface AuditRow {
  id: number
  at: string
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
}

/** Returns the rows that `work` added, oldest first. Enrichment runs in the background, so its rows are left out. */
export async function audited(service: TestService, work: () => Promise<unknown>): Promise<AuditRow[]> {
  const read = async (): Promise<AuditRow[]> => (await service.admin('GET', '/audit?limit=1000')).body.data
  const last = (await read())[0]?.id ?? 0
  await work()
  return (await read()).filter(({ id, actor }) => id > last && actor !== 'enrichment').reverse()
}

/** Expects exactly one new row, by the operator, with this action on this subject. */
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
