// A service of 6,300 listings that has written the file of its catalog, and starts of further services beside the same database.
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { directory, several, shown, terms, tool } from './bulk-listings.ts'
import { shownAnew } from './fresh-catalog.ts'
import { until } from './process.ts'
import { createDatabase, freePort, startService, type TestService } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const READ = 'the catalog was read from its file'
const WRITTEN = 'the catalog file is written; the next start reads it'

export const linesOf = ({ logged }: TestService, message: string) => logged.filter((line) => line.message === message)
export const isWritten = (service: TestService) => until(() => linesOf(service, WRITTEN).length > 0, 60_000)

/** Fails unless readers see what a load of all rows shows. */
export async function expectTrue(service: TestService): Promise<void> {
  const { catalog } = service.context()
  expect(shown(catalog.snapshot())).toEqual(await shownAnew(service))
}

export function catalogWithFile() {
  const DATA_DIR = temporaryFolder('file')
  let database: Awaited<ReturnType<typeof createDatabase>> | null = null
  let PORT = ''

  const start = async (more: Record<string, string> = {}) =>
    startService(
      { DATA_DIR, PORT, ...(database ? { DATABASE_URL: database.url } : {}), ...more },
      { catalogFileMs: 200 },
    )

  beforeAll(async () => {
    PORT = String(await freePort())
    if (process.env.TEST_DATABASE_URL) database = await createDatabase(process.env.TEST_DATABASE_URL)
    const service = await start()
    const listings = [...several(0, 6_000, (i) => tool(i)), ...several(0, 300, (i) => directory(i))]
    await service.load([...terms('Bulk'), ...listings])
    await isWritten(service)
    await service.close()
  }, 120_000)
  afterAll(async () => {
    await database?.drop()
  })

  return {
    file: join(DATA_DIR, 'catalog'),
    start,
    /** Runs SQL with a service that then stops. */
    async change(...statements: string[]): Promise<void> {
      const service = await start()
      for (const statement of statements) await service.sql(statement)
      await service.close()
    },
    /** Starts, checks what readers see, and stops. Returns how many rows were read beside the file; null when it was not used. */
    async rowsReadAgain(more: Record<string, string> = {}): Promise<number | null> {
      const service = await start(more)
      await expectTrue(service)
      const [line] = linesOf(service, READ)
      await service.close()
      return line ? (line.readAgain as number) : null
    },
  }
}
