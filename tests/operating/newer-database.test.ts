// A version does not start on a database that a newer one has migrated.
// @module-tag slow
import { expect, test } from 'vitest'
import { createDatabase, startService } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const folder = temporaryFolder('newer')

test('the start says so in one sentence and changes nothing', async () => {
  const server = process.env.TEST_DATABASE_URL
  const database = server ? await createDatabase(server) : null
  if (!database) await copyTemplate(folder)
  const environment = { DATA_DIR: folder, ...(database ? { DATABASE_URL: database.url } : {}) }
  const first = await startService(environment)
  await first.sql(
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ('of a later version', ${Date.UTC(2100, 0)})`,
  )
  await first.close()
  await expect(startService(environment)).rejects.toThrow(
    /^A newer version of Catalog Service has used this database: it has 1 migration that is not known here\. /,
  )
  await database?.drop()
})
