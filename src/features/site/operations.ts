import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import type { TransactionContext } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { SITE_TOPIC, siteOfRow } from './current-site.ts'
import { findSite, findSiteForUpdate, upsertAgentsStopped, upsertSite } from './queries.ts'
import { siteProblems, withCurrentPictureAddresses, withSiteDefaults } from './rules.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Site')

export const getSite = operation({
  name: 'get_site',
  summary: "The site's name and words",
  description:
    'What visitors see of the site itself: name, words, colour, logo, links and pages. Version 0: everything has its default.',
  method: 'GET',
  path: '/site',
  data: schema.siteSchema,
  run: async (ctx) => ({ data: siteOfRow(ctx.publicUrl, await findSite(ctx.db)) }),
})

export const putSite = operation({
  name: 'put_site',
  summary: "Replace the site's name and words",
  description: 'Replaces everything; what is omitted gets its default. Every process shows it at once.',
  method: 'PUT',
  path: '/site',
  parameters: Type.Object({ ...versionGuard.parameters }),
  body: schema.siteBody,
  data: schema.siteSchema,
  failures: [400, ...versionGuard.failures],
  run: async (ctx, { ifVersion }, body) => {
    const fields = checkedFields(ctx.publicUrl, body)
    return { data: await ctx.transaction((ctx) => replace(ctx, ifVersion, fields)) }
  },
})

/** Checks the fields of a form for a preview, and stores nothing. */
export const checkSite = pageOperation({
  name: 'check_site',
  access: 'operator',
  body: schema.siteBody,
  data: schema.siteFieldsSchema,
  run: async (ctx, _input, body) => ({ data: checkedFields(ctx.publicUrl, body) }),
})

function checkedFields(publicUrl: string, body: Static<typeof schema.siteBody>): schema.SiteFields {
  const fields = withCurrentPictureAddresses(publicUrl, withSiteDefaults(body))
  const problems = siteProblems(publicUrl, fields)
  if (problems.length > 0) throw invalid(problems)
  return fields
}

export const getAgents = operation({
  name: 'get_agents',
  summary: 'Whether agents may work',
  description: 'Whether agents of administrators may work at /mcp/operator.',
  method: 'GET',
  path: '/site/agents',
  data: schema.agentsSchema,
  run: async (ctx) => ({ data: { stopped: (await findSite(ctx.db))?.agentsStopped ?? false } }),
})

export const putAgents = operation({
  name: 'put_agents',
  summary: 'Stop all agents, or let them work again',
  description:
    'While they are stopped, every call at /mcp/operator is a 403 that says so, at once here and within a second in every process.',
  method: 'PUT',
  path: '/site/agents',
  body: schema.agentsBody,
  data: schema.agentsSchema,
  exampleFields: { stopped: true },
  run: (ctx, _input, { stopped }) =>
    ctx.transaction(async (ctx) => {
      const row = await findSiteForUpdate(ctx.db)
      if ((row?.agentsStopped ?? false) === stopped) return { data: { stopped } }
      await upsertAgentsStopped(ctx.db, stopped, schema.DEFAULT_SITE, ctx.now())
      await writeAudit(ctx, stopped ? 'agents.stop' : 'agents.start', 'site')
      await ctx.announce({ topic: SITE_TOPIC })
      return { data: { stopped } }
    }),
})

export const siteOperations = [getSite, putSite, getAgents, putAgents]

async function replace(
  ctx: TransactionContext,
  ifVersion: number | undefined,
  fields: schema.SiteFields,
): Promise<schema.Site> {
  const row = await findSiteForUpdate(ctx.db)
  const before = withSiteDefaults(row?.fields ?? {})
  await checkVersion(ctx, ifVersion, {
    name: 'site',
    version: row?.version ?? 0,
    subject: 'site',
    actions: ['site.change'],
  })
  // The database keeps the keys of objects in an order of its own.
  const changed = (Object.keys(fields) as (keyof schema.SiteFields)[]).filter(
    (name) => !isDeepStrictEqual(before[name], fields[name]),
  )
  if (changed.length === 0) return { ...fields, version: row?.version ?? 0 }
  const version = await upsertSite(ctx.db, fields, ctx.now())
  await writeAudit(ctx, 'site.change', 'site', { changed })
  await ctx.announce({ topic: SITE_TOPIC })
  return { ...fields, version }
}
