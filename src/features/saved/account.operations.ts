// What the signed-in user has saved: the shortlist and launch plans. Both belong to the account and are deleted with it.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'
import { readPlanQuery } from '../plan/schema.ts'
import * as queries from './queries.ts'
import { MOST_QUERY, MOST_SAVED, planBody, planName, type SavedKind, savedSchema, shortlistBody } from './schema.ts'

export const getOwnSaved = pageOperation({
  name: 'get_own_saved',
  data: savedSchema,
  run: async (ctx) => ({ data: await readSaved(ctx) }),
})

/** Adds and removes listings. When there are more than an account keeps, the oldest are deleted. */
export const changeOwnShortlist = pageOperation({
  name: 'change_own_shortlist',
  body: shortlistBody,
  data: savedSchema,
  run: (ctx, _input, { add, remove }) =>
    ctx.transaction(async (ctx) => {
      const userId = ctx.caller.id
      await queries.lockSaved(ctx.db, userId)
      for (const kind of ['tools', 'directories'] as const) {
        await queries.deleteSaved(ctx.db, userId, kind, remove[kind])
        await insert(ctx, kind, add[kind])
      }
      return { data: await readSaved(ctx) }
    }),
})

/** Saves a plan. A plan of the same name is replaced. */
export const saveOwnPlan = pageOperation({
  name: 'save_own_plan',
  body: planBody,
  data: savedSchema,
  run: (ctx, _input, { name, query }) =>
    ctx.transaction(async (ctx) => {
      const planQuery = readPlanQuery(query)
      // Percent-encoding makes the address longer, and browsers open no address that is too long.
      if (planQuery.length > MOST_QUERY)
        throw invalid([problem('query', 'is too long for an address. Tick fewer directories, or leave some out.')])
      await queries.lockSaved(ctx.db, ctx.caller.id)
      await queries.deleteSaved(ctx.db, ctx.caller.id, 'plans', [name])
      await insert(ctx, 'plans', [name], planQuery)
      return { data: await readSaved(ctx) }
    }),
})

export const deleteOwnPlan = pageOperation({
  name: 'delete_own_plan',
  parameters: Type.Object({ name: planName }),
  data: savedSchema,
  run: async (ctx, { name }) => {
    if ((await queries.deleteSaved(ctx.db, ctx.caller.id, 'plans', [name])) === 0) throw notFound('Plan')
    return { data: await readSaved(ctx) }
  },
})

export const savedOperations = [getOwnSaved, changeOwnShortlist, saveOwnPlan, deleteOwnPlan]

async function insert(ctx: Context, kind: SavedKind, values: readonly string[], query = ''): Promise<void> {
  if (values.length === 0) return
  const { db, caller } = ctx
  // Each time is a millisecond later, and later than all stored ones, because lists are ordered by time.
  const newest = (await queries.findNewest(db, caller.id))?.getTime() ?? 0
  const first = Math.max(ctx.now().getTime(), newest + 1)
  const rows = values.map((value, at) => ({ userId: caller.id, kind, value, query, createdAt: new Date(first + at) }))
  await queries.insertSaved(db, rows)
  await queries.deleteOldestSaved(db, caller.id, kind, MOST_SAVED)
}

async function readSaved(ctx: Context) {
  const rows = await queries.listSaved(ctx.db, ctx.caller.id)
  const valuesOf = (kind: SavedKind) => rows.filter((row) => row.kind === kind).map(({ value }) => value)
  const plans = rows.filter(({ kind }) => kind === 'plans').toReversed()
  return {
    tools: valuesOf('tools'),
    directories: valuesOf('directories'),
    plans: plans.map(({ value, query, createdAt }) => ({ name: value, query, createdAt })),
  }
}
