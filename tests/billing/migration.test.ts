// @module-tag long
// The plans of an installation from before the paid plan are plans that an administrator granted.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { MIGRATIONS } from '../../src/platform/database/migrations.ts'
import { migrationsBefore } from '../harness/earlier-version.ts'
import { recordingLog } from '../harness/service.ts'

test('every user keeps the plan, as a granted one', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-migration-'))
  const store = await openEmbedded(join(folder, 'data'), recordingLog([]))
  try {
    await store.migrate(migrationsBefore('_billing', folder))
    for (const plan of ['standard', 'premium'])
      await store.query(
        `insert into users (id, email, plan, created_at, updated_at) values ('${plan}', '${plan}@example.com', '${plan}', now(), now())`,
      )
    await store.migrate(MIGRATIONS)
    const { rows } = await store.query('select id, plan, granted_plan, paid_plan from users order by id')
    expect(rows).toEqual([
      { id: 'premium', plan: 'premium', granted_plan: 'premium', paid_plan: 'standard' },
      { id: 'standard', plan: 'standard', granted_plan: 'standard', paid_plan: 'standard' },
    ])
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
