// A catalog that reads every row of the database anew and remembers nothing, whatever the service has in memory.
import { type Catalog, createCatalog } from '../../src/features/catalog/memory/snapshot.ts'
import { createBrokenRows } from '../../src/kernel/checks/broken-rows.ts'
import { shown } from './bulk-listings.ts'
import type { TestService } from './service.ts'

export async function freshCatalog(service: TestService): Promise<Catalog> {
  const { db, log, publicUrl } = service.context()
  const catalog = createCatalog({ db, log, publicUrl, brokenRows: createBrokenRows(log), isStarting: () => false })
  await catalog.apply(null)
  return catalog
}

export async function shownAnew(service: TestService): Promise<string[]> {
  const catalog = await freshCatalog(service)
  const anew = shown(catalog.snapshot())
  catalog.close()
  return anew
}
