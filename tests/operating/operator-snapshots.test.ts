// POST /snapshots makes a copy of the embedded database, always below DATA_DIR.
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { useService } from '../harness/use.ts'

const service = useService()

describe.skipIf(process.env.TEST_DATABASE_URL)('POST /snapshots on the embedded database', () => {
  test('answers 200 with a folder that only this user may open, and is audited', async () => {
    let folder = ''
    const rows = await audited(service, async () => {
      const { status, body } = await service.admin('POST', '/snapshots')
      expect([status, Object.keys(body.data)]).toEqual([200, ['folder']])
      folder = join(service.dataDir, body.data.folder)
    })
    expect(rows).toMatchObject([{ actor: 'operator', action: 'snapshot.take', subject: 'database' }])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(existsSync(join(folder, 'PG_VERSION'))).toBe(true)
    rmSync(folder, { recursive: true })
  })

  test('makes two folders for two requests at the same time, and reads continue', async () => {
    const [one, two, read] = await Promise.all([
      service.admin('POST', '/snapshots'),
      service.admin('POST', '/snapshots'),
      service.rest('/tools'),
    ])
    expect([one.status, two.status, read.status]).toEqual([200, 200, 200])
    expect(one.body.data.folder).not.toBe(two.body.data.folder)
  })
})

test.skipIf(!process.env.TEST_DATABASE_URL)(
  'POST /snapshots on PostgreSQL answers 400 and says what to use instead',
  async () => {
    const { status, body } = await service.admin('POST', '/snapshots')
    expect([status, body.error]).toEqual([400, expect.stringMatching(/pg_dump/)])
  },
)
