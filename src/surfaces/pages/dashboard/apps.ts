// Apps: the programs that the user has given access to the catalog, and withdrawing that access.
import type { Static } from 'typebox'
import { KEY_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import type { Surface } from '../../../features/keys/rules.ts'
import { getOwnGrant, listOwnGrants, withdrawOwnGrant } from '../../../features/oauth/operations.ts'
import { MAX_LIVE_GRANTS } from '../../../features/oauth/rules.ts'
import { ENDING_LABELS, type ownGrantSchema } from '../../../features/oauth/schema.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { bucketOf } from '../../../kernel/invoke.ts'
import type { Service } from '../../http/service.ts'
import { button, linkButton } from '../kit/button.ts'
import { badge, codeBlock, emptyState, sectionHead } from '../kit/components.ts'
import { action } from '../kit/forms/actions.ts'
import { table } from '../kit/lists/table.ts'
import { html, type Markup } from '../kit/markup.ts'
import type { VisitPages } from '../kit/sending/private-pages.ts'
import { number, time } from '../kit/values.ts'

const APPS = '/dashboard/apps'
type OwnGrant = Static<typeof ownGrantSchema>

export const appPages: VisitPages = {
  [APPS]: {
    GET: async (visit) => {
      const grants = await withUse(visit.service, await visit.perform(listOwnGrants, {}))
      return visit.send(appsPage(grants, visit.service.publicUrl))
    },
  },
  [`${APPS}/:id/withdraw`]: {
    GET: async (visit) =>
      visit.send(withdrawPage(await visit.perform(getOwnGrant, { id: visit.param('id') }), visit.token)),
    POST: action({ operation: withdrawOwnGrant, back: APPS, text: 'Access is withdrawn.' }),
  },
}

interface ShownGrant extends OwnGrant {
  /** Calls in the current minute, as text: 3 of 60. */
  used: { rest: string; mcp: string }
}

async function withUse(service: Service, grants: readonly OwnGrant[]): Promise<ShownGrant[]> {
  const usedOf = async ({ id, plan, endedAt }: OwnGrant, bucket: Surface) => {
    if (endedAt) return ''
    const budgets = service.scale([{ calls: KEY_BUDGETS[bucket][plan], seconds: 60 }])
    const { limit, remaining } = await service.limiter.peek(bucketOf(id, bucket), budgets)
    return `${number(limit - remaining)} of ${number(limit)}`
  }
  const shown: ShownGrant[] = []
  for (const grant of grants)
    shown.push({ ...grant, used: { rest: await usedOf(grant, 'rest'), mcp: await usedOf(grant, 'mcp') } })
  return shown
}

const programCell = ({ program, kind, clientId, website, operator }: OwnGrant): Markup =>
  html`<bdi>${program}</bdi> ${operator && badge('Operator', 'danger')} <span class="note"><bdi>${(kind === 'document' ? parseUrl(clientId)?.host : website) ?? 'no address given'}</bdi></span>`

function appsPage(grants: readonly ShownGrant[], publicUrl: string) {
  const live = grants.filter(({ endedAt }) => endedAt === null)
  const ended = grants.filter(({ endedAt }) => endedAt !== null)
  return {
    title: 'Apps',
    body: html`<div class="flow">
<h1>Apps</h1>
<p class="lead">Programs that you have allowed to read the catalog for you. Each has a budget like one key of your plan.</p>
${sectionHead(`With access: ${live.length} of ${MAX_LIVE_GRANTS}`)}
${table<ShownGrant>({
  caption: 'Programs with access',
  rows: live,
  columns: [
    { label: 'App', cell: programCell, rowHeader: true },
    { label: 'Since', cell: ({ createdAt }) => time(createdAt) },
    { label: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt) ?? html`<span class="quiet">Never</span>` },
    {
      label: 'This minute',
      cell: ({ used }) => html`${used.mcp} MCP<br>${used.rest} REST`,
    },
    { label: '30 days', cell: ({ restCalls, mcpCalls }) => number(restCalls + mcpCalls), kind: 'number' },
    {
      label: 'Actions',
      kind: 'actions',
      cell: ({ id, program }) =>
        linkButton(`${APPS}/${id}/withdraw`, html`Withdraw<span class="visually-hidden"> ${program}</span>`, {
          kind: 'plain',
          slim: true,
        }),
    },
  ],
  empty: emptyState({
    title: 'No program has access',
    text: 'Give a program that knows MCP the address below. It opens a page here that asks you.',
  }),
})}
${sectionHead('Connect a program')}
${codeBlock('MCP address', `${publicUrl}/mcp`)}
${
  ended.length > 0 &&
  html`<details><summary>Ended (${ended.length})</summary>${table({
    caption: 'Programs without access',
    rows: ended,
    columns: [
      { label: 'App', cell: programCell, rowHeader: true },
      { label: 'Since', cell: ({ createdAt }) => time(createdAt) },
      { label: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt) },
      { label: 'Ended', cell: ({ endedAt }) => time(endedAt) },
      { label: 'Why', cell: ({ endedBy }) => endedBy && ENDING_LABELS[endedBy] },
    ],
  })}</details>`
}
</div>`,
  }
}

const withdrawPage = (grant: OwnGrant, token: Markup) => ({
  title: 'Withdraw access',
  body: html`<div class="flow prose">
<h1>Withdraw this access?</h1>
<p class="lead"><strong><bdi>${grant.program}</bdi></strong>, allowed ${time(grant.createdAt)}.</p>
<p>Its next request gets a 401. It can ask you again. Last used: ${time(grant.lastUsedAt) ?? 'never'}.</p>
<form method="post" action="${APPS}/${grant.id}/withdraw">${token}<div class="row">${button('Withdraw access', { kind: 'danger' })}${linkButton(APPS, 'Keep it', { kind: 'plain' })}</div></form>
</div>`,
})
