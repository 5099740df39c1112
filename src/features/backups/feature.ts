// The part of a backup that only the running service can do: a copy of its embedded database. The rest is in src/operating.
import { badRequest } from '../../kernel/errors.ts'
import type { Feature } from '../../kernel/feature.ts'
import { operation } from '../../kernel/operation.ts'
import { objectType, stringType } from '../../kernel/schema.ts'
import { writeAudit } from '../audit/write-audit.ts'

const takeSnapshot = operation({
  name: 'take_snapshot',
  summary: 'Copy the embedded database',
  description:
    'Copies the embedded database as it is at this moment into a folder below DATA_DIR, for `catalog backup` to read. Writes wait meanwhile, reads do not. The answer has the path of the folder and no data.',
  group: 'Backups',
  access: 'operator',
  method: 'POST',
  path: '/snapshots',
  data: objectType('The copy.', {
    folder: stringType(
      'Where the copy is, below DATA_DIR. The caller removes it.',
      'tmp/snapshot-0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11',
    ),
  }),
  failures: [400],
  run: async (ctx) => {
    const snapshot = ctx.snapshots.take()
    if (!snapshot) throw badRequest('The database is a PostgreSQL. Back it up with pg_dump; see docs/operating.md.')
    const folder = await snapshot
    await writeAudit(ctx, 'snapshot.take', 'database')
    return { data: { folder } }
  },
})

interface Snapshots {
  /**
   * Copies the database as it is at one moment into a folder and returns its path below DATA_DIR; the caller removes it.
   * null: the database is an external PostgreSQL, which the service cannot copy.
   */
  take(): Promise<string> | null
}

declare module '../../kernel/context.ts' {
  interface Context {
    snapshots: Snapshots
  }
}

export const backupsFeature = { operatorOperations: [takeSnapshot] } satisfies Feature
