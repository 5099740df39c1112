// The page to which programs send their users to ask for access. The user signs in, and then allows or denies it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Plan } from '../../../features/accounts/schema.ts'
import { KEY_BUDGETS, OAUTH_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import {
  type AccessRequest,
  allowAccess,
  denyAccess,
  hasGrant,
  needsAgreement,
  RefusedToProgram,
  readAccessRequest,
  readAuthorization,
} from '../../../features/oauth/authorize.ts'
import { isDocumentAddress } from '../../../features/oauth/clients.ts'
import { asksForOperator, type RedirectTarget, redirectTarget } from '../../../features/oauth/rules.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { Failure, tooManyRequests } from '../../../kernel/errors.ts'
import { OAuthRefusal, type Parameters } from '../../../kernel/interfaces/oauth-protocol.ts'
import { charge } from '../../../kernel/invoke.ts'
import { AUTHORIZE, OPERATOR_PATH } from '../../http/addresses.ts'
import type { Service } from '../../http/service.ts'
import { button, hiddenFields, linkButton } from '../kit/button.ts'
import { type Flash, tile } from '../kit/components.ts'
import { choice } from '../kit/forms/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { allowFormsTo } from '../kit/sending/answers.ts'
import type { Page } from '../kit/sending/document.ts'
import { addPrivatePages, forAnyone, type Visit } from '../kit/sending/private-pages.ts'
import { agreementBox } from '../site/texts/text-pages.ts'

/** `operatorTools`: what an agent can do that the user lets work as an operator. */
export function addConsentPages(server: FastifyInstance, service: Service, operatorTools: readonly string[]): void {
  addPrivatePages(
    server,
    service,
    { ...forAnyone, audience: 'user' },
    {
      [AUTHORIZE]: {
        GET: (visit) =>
          handlingRefusals(visit, async () => {
            const asked = await readRequest(visit, readAuthorization(visit.request.query as Record<string, unknown>))
            return showConsent(visit, asked, operatorTools)
          }),
        POST: (visit) => handlingRefusals(visit, () => decide(visit, operatorTools)),
      },
    },
  )
}

/** Reads the request of a program. If its client id is an address, a document is fetched from there, so each user has a limit for these. */
async function readRequest(visit: Visit, parameters: Parameters): Promise<AccessRequest> {
  if (isDocumentAddress(parameters.client_id ?? '')) {
    const budgets = visit.service.scale(OAUTH_BUDGETS.document)
    const decision = await visit.service.limiter.charge(`oauth-document:${visit.user.id}`, budgets)
    if (!decision.allowed) throw tooManyRequests(decision.retryAfter)
  }
  return readAccessRequest(visit.ctx, parameters)
}

async function showConsent(
  visit: Visit,
  asked: AccessRequest,
  operatorTools: readonly string[],
  failure?: Failure,
): Promise<FastifyReply> {
  const page = consentPage({
    request: asked,
    user: visit.user,
    asksAgreement: await needsAgreement(visit.ctx),
    operatorTools,
    token: visit.token,
    problem: failure?.message,
  })
  // Forms may lead anywhere, because the program's address may redirect to hosts that are not known here.
  allowFormsTo(visit.reply, null)
  return visit.send(page, failure?.status)
}

async function decide(visit: Visit, operatorTools: readonly string[]): Promise<FastifyReply> {
  const form = visit.form
  const asked = await readRequest(visit, readAuthorization(form))
  if (form.decision === 'allow') await chargeNewGrant(visit, asked)
  try {
    const location =
      form.decision === 'allow'
        ? await allowAccess(visit.ctx, asked, {
            agreesToPolicy: form.agree === 'true',
            operator: form.operator === 'true',
          })
        : denyAccess(visit.ctx, asked)
    return visit.redirect(location)
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 400) throw error
    return showConsent(visit, asked, operatorTools, error)
  }
}

/** A new grant has a new budget of calls, so it is charged like a new key. Otherwise users could evade limits by replacing grants. */
async function chargeNewGrant(visit: Visit, { client }: AccessRequest): Promise<void> {
  if (await hasGrant(visit.ctx, client.id)) return
  const decision = await charge(visit.service.limiter, visit.ctx.caller, 'keys')
  if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
}

/** Does the work. If the request is refused, a program that the user has allowed before is told; otherwise a page tells the user. */
async function handlingRefusals(visit: Visit, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    const location = error instanceof RefusedToProgram ? error.location : null
    if (error instanceof RefusedToProgram && error.isTrusted && !cameFromForm(visit.request))
      return visit.redirect(error.location)
    return visit.send(refusedPage(error.message, location), 400)
  }
}

/**
 * Whether the user came from the sign-in form. The policy of that page forbids browsers to follow a redirect to another site, so the user
 * gets a page with a link to it instead.
 */
const cameFromForm = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers['sec-fetch-site'] === 'same-origin'

interface Consent {
  request: AccessRequest
  user: { email: string; plan: Plan }
  /** Whether the user has not agreed to the policy yet. */
  asksAgreement: boolean
  /** What the tools for operators do, for a program that asks to work as one. */
  operatorTools: readonly string[]
  token: Markup
  /** Why the form was refused. */
  problem?: string
}

/** The page on which the user allows or denies the access. */
function consentPage({ request, user, asksAgreement, operatorTools, token, problem }: Consent): Page {
  const { client, redirectUri, parameters } = request
  const target = redirectTarget(redirectUri)
  const warning = warningFor(client, target)
  return {
    title: `Allow ${client.name}?`,
    description: 'A program asks to read the catalog for you.',
    flash: [
      ...(problem ? [{ kind: 'danger', text: problem, isPermanent: true } satisfies Flash] : []),
      ...(warning ? [{ kind: 'notice', text: warning, isPermanent: true } satisfies Flash] : []),
    ],
    body: html`<div class="flow prose entrance">
<div class="row">${tile(client.name, null)}<h1>Allow <bdi>${client.name}</bdi> to read the catalog?</h1></div>
<p class="lead">A program asks for access in the name of <strong><bdi>${user.email}</bdi></strong>.</p>
<dl class="facts">
<div><dt>App</dt><dd><bdi>${client.name}</bdi></dd></div>
<div><dt>Its address</dt><dd>${addressOf(client)}</dd></div>
<div><dt>You are sent to</dt><dd>${targetInWords(target)}</dd></div>
</dl>
<h2>It will be able to</h2>
<ul class="listed">
<li>search and read the catalog, over MCP and REST;</li>
<li>make ${KEY_BUDGETS.mcp[user.plan]} MCP calls and ${KEY_BUDGETS.rest[user.plan]} REST calls a minute, the budget of one key of your plan.</li>
</ul>
<p>It will not see your e-mail address, your keys or your password, and ${asksForOperator(parameters) ? 'unless you allow it below ' : ''}it cannot change anything. You can withdraw access at any time under <a href="/dashboard/apps">Apps</a>.</p>
<form class="form" method="post" action="${AUTHORIZE}">
${token}${hiddenFields(parameters)}
${asksForOperator(parameters) && operatorPart(operatorTools)}
${asksAgreement && agreementBox}
<div class="row">${button('Allow', { name: 'decision', value: 'allow' })}${button('Deny', { kind: 'plain', name: 'decision', value: 'deny', skipsChecks: true })}</div>
</form>
</div>`,
  }
}

/** The program also asks to work as an operator. Pressing Allow alone does not allow that: the user must check a box. */
const operatorPart = (tools: readonly string[]): Markup =>
  html`<section class="card"><h2>It also asks to work as an operator</h2>
<p>With your rights as an administrator it could do this, at ${OPERATOR_PATH}:</p>
<p class="small">${tools.join(' · ')}</p>
<p>It could read customers' questions and private fields of submissions. Every call is in the audit log with your address and the program's name, and you can stop all agents under <a href="/admin/site">Site</a>.</p>
${choice({ name: 'operator', label: 'Let it work as an operator', hint: 'Leave it empty to let it read the catalog only.' })}</section>`

type Client = AccessRequest['client']

/** The host that the program says it belongs to; null if it names none. */
const hostOfClient = ({ kind, id, website }: Client): string | null =>
  parseUrl((kind === 'document' ? id : website) ?? '')?.host ?? null

function addressOf(client: Client): Markup {
  if (client.kind === 'document')
    return html`<bdi>${hostOfClient(client)}</bdi> <span class="note">(<bdi>${client.id}</bdi>)</span>`
  return client.website === null
    ? html`None given. <span class="note">The program registered itself, and its name has not been checked.</span>`
    : html`<bdi>${client.website}</bdi> <span class="note">The program registered itself; name and address have not been checked.</span>`
}

/** Where the user is sent after the decision. */
function targetInWords(target: RedirectTarget): Markup {
  if (target.kind === 'site') return html`<bdi>${target.host}</bdi>`
  return target.kind === 'this-computer'
    ? html`a program on the computer you are using`
    : html`the program on your computer that opens <bdi>${target.scheme}:</bdi> addresses`
}

/** A warning, unless the user is sent back to the host that the program says it belongs to. */
function warningFor(client: Client, target: RedirectTarget): string | null {
  const host = hostOfClient(client)
  if (target.kind !== 'site')
    return 'Access goes to a program on the computer you are using. If you did not start signing in there just now, press Deny.'
  if (host === null)
    return `The program does not say where it comes from. Access goes to ${target.host}: press Allow only if you know that site and started there.`
  return host === target.host
    ? null
    : `Access goes to another machine than the program's: the program says that it is at ${host}, and you would be sent to ${target.host}. Press Allow only if you know both.`
}

/** Tells the user why the request is refused. `back`: the address at which the program is told; null when it is not safe to go there. */
const refusedPage = (reason: string, back: string | null): Page => ({
  title: 'This request cannot be used',
  description: 'A program asked for access in a way that is not accepted.',
  body: html`<div class="flow prose">
<h1>This request cannot be used</h1>
<p class="lead">${reason}</p>
<p>Nothing was allowed. Start again in the program that sent you here. If it happens again, tell the people who make the program.</p>
${back !== null && html`<p>The button leads to ${targetInWords(redirectTarget(back))}.</p>`}
<div class="row">${back !== null && linkButton(back, 'Return to the program')}${linkButton('/dashboard', 'Go to the dashboard', { kind: back === null ? 'main' : 'plain' })}</div>
</div>`,
})
