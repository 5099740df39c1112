// A start reads the revisions of all rows in the order in which they are stored. A change stores a row elsewhere, perhaps where the start has
// read already. The embedded database has one connection, so there nothing is changed meanwhile.
import { expect, test } from 'vitest'
import { readRevisions } from '../../src/features/catalog/memory/snapshot-loader.ts'
import type { Database } from '../../src/kernel/context.ts'
import { startService } from '../harness/service.ts'

test.skipIf(!process.env.TEST_DATABASE_URL)('a row that moves while all are read is read', async () => {
  const service = await startService()
  await service.sql(`
    insert into tools (id, slug, name, tagline, description, website, tags, pricing, rating, opens, featured, is_for_sale, asking_price,
      discount_code, affiliate, screenshots, socials, faqs, features, published, created_at, updated_at)
    select lpad(n::text, 6, '0'), 'slug-' || n, 'Name', 'tag', repeat('word ', 250) || n, 'https://e.com/' || n, '{}', 'FREE', 0, 0, false,
      false, 0, '', false, '[]', '{}', '[]', '{}', true, now(), now()
    from generate_series(1, 3000) as n`)
  await service.sql(`delete from tools where id <= '000200'`)
  const blockOfLast = async () =>
    (await service.sql(`select (ctid::text::point)[0]::int as block from tools where id = '003000'`))[0].block
  let [before, after] = [0, 0]
  // A vacuum frees no rows that another transaction of the service may still see; then the row moves to the end, and it is tried again.
  for (let attempt = 0; attempt < 10 && after >= before; attempt++) {
    await service.sql('vacuum tools')
    // Each connection of the pool remembers the block in which it stored a row last; a change of the table makes it look for room again.
    await service.sql('alter table tools set (fillfactor = 100)')
    before = await blockOfLast()
    let ranges = 0
    const firstRange = Promise.withResolvers<void>()
    // Begun here, because a transaction must not use a second connection.
    const moved = firstRange.promise.then(() => service.sql(`update tools set opens = opens + 1 where id = '003000'`))
    const afterFirstRange = async () => {
      ranges++
      firstRange.resolve()
      await moved
    }
    const { tool } = await readRevisions(watched(service.context().db, afterFirstRange))
    after = await blockOfLast()
    expect(ranges).toBeGreaterThan(1)
    const ids = tool.flatMap((lines) => lines.split('\n').map((line) => line.split(' ')[0]))
    expect(new Set(ids).size).toBe(2800)
    expect(ids).toContain('003000')
  }
  expect(after).toBeLessThan(before)
  await service.close()
})

/** The same database; `afterRange` runs after each statement that found rows of a range. */
function watched(db: Database, afterRange: () => Promise<unknown>): Database {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction')
        return (work: (inside: Database) => Promise<unknown>, options: object) =>
          target.transaction((inside) => work(watched(inside, afterRange)), options)
      const value = Reflect.get(target, name)
      if (name !== 'execute') return typeof value === 'function' ? value.bind(target) : value
      return async (statement: Parameters<Database['execute']>[0]) => {
        const result = await target.execute(statement)
        if ((result as unknown as { rows: { lines?: string }[] }).rows[0]?.lines) await afterRange()
        return result
      }
    },
  })
}
