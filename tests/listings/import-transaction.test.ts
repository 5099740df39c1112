// What an import refers to is still there when it is stored, and no statement of it is larger than the database can hold.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importLines } from '../../src/features/listings/import/import.ts'
import type { Context, TransactionContext } from '../../src/kernel/context.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.load([
    { kind: 'tag', slug: 'doomed', name: 'Doomed' },
    { kind: 'category', slug: 'doomed', name: 'Doomed' },
    { kind: 'directoryCategory', slug: 'doomed', name: 'Doomed' },
  ])
})
afterAll(() => service?.close())

type Work = (ctx: TransactionContext) => Promise<unknown>

/** An import whose transaction is begun by `begin`. */
function importBegunBy(begin: (work: Work, ctx: Context) => Promise<unknown>, lines: object[]) {
  const ctx = service.context()
  const context = extend(ctx, { transaction: (work: Work) => begin(work, ctx) }) as Context
  async function* source() {
    for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`)
  }
  return importLines(context, source(), false)
}

test.each([
  ['tag', '/tags', { kind: 'tool', slug: 'one', name: 'One', tags: ['doomed'] }],
  ['category', '/categories', { kind: 'tool', slug: 'two', name: 'Two', category: 'doomed' }],
  [
    'directoryCategory',
    '/directory-categories',
    { kind: 'directory', slug: 'three', name: 'Three', categories: ['doomed'] },
  ],
])(
  'a %s that is deleted between the check and the storing is a conflict, and nothing is stored',
  async (kind, path, line) => {
    const begin = async (work: Work, ctx: Context) => {
      expect((await service.admin('DELETE', `${path}/doomed`)).status).toBe(200)
      return ctx.transaction(work)
    }
    const failure = await importBegunBy(begin, [line]).catch((error) => error)
    expect(failure).toMatchObject({
      status: 409,
      message: `The ${kind} doomed was deleted during this import, and nothing of it was kept. Send it again.`,
    })
    expect(await service.sql(`select slug from ${line.kind === 'tool' ? 'tools' : 'directories'}`)).toEqual([])
  },
)

test('long listings are stored in several statements', async () => {
  let longest = 0
  const measure = (value: unknown): void => {
    if (typeof value === 'string') longest = Math.max(longest, value.length)
    else if (typeof value === 'object' && value !== null)
      for (const name of ['queryChunks', 'value'] as const)
        if (name in value) for (const part of [(value as Record<string, unknown>)[name]].flat()) measure(part)
  }
  const begin = (work: Work, ctx: Context) =>
    ctx.transaction((inner) => {
      const execute = inner.db.execute.bind(inner.db)
      const db = new Proxy(inner.db, {
        get: (target, name) =>
          name === 'execute'
            ? (query: Parameters<typeof execute>[0]) => {
                measure(query)
                return execute(query)
              }
            : Reflect.get(target, name),
      })
      return work(extend(inner, { db }) as TransactionContext)
    })
  const feature = 'All of it works for everybody. '.repeat(150)
  const lines = Array.from({ length: 80 }, (_, at) => ({
    kind: 'tool',
    slug: `long-${at}`,
    name: `Long ${at}`,
    features: Object.fromEntries(Array.from({ length: 20 }, (_, part) => [`Part ${part}`, feature])),
  }))
  const result = await importBegunBy(begin, lines)
  expect(result).toMatchObject({ imported: 80, created: 80 })
  expect(longest).toBeGreaterThan(1_000_000)
  expect(longest).toBeLessThan(3_000_000)
})
