// The page on which a signed-in user proves that a listing is their own.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { NEW_ORDER_PAGE } from '../../../features/billing/orders/start.ts'
import { endOwnClaim, getOwnClaim, proveClaim, startClaim } from '../../../features/founders/claims/operations.ts'
import {
  MOST_OWNERS,
  PROOF_PATH,
  type ProofMethod,
  proofEntry,
  proofTag,
} from '../../../features/founders/claims/rules.ts'
import type { Service } from '../../http/service.ts'
import { OWN_PRODUCTS } from '../addresses.ts'
import { actionForm, confirmedAction, linkButton } from '../kit/button.ts'
import { badge, codeBlock, codeTabs, type Flash, numberedSteps } from '../kit/components.ts'
import { action } from '../kit/forms/actions.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../kit/sending/private-pages.ts'
import { ownedPath } from './owned/owned.ts'
import { CLAIM_WAYS, lastDay, proofSentence } from './owned/proof-words.ts'
import { listedSteps } from './product-pages.ts'

type Claim = Static<typeof getOwnClaim.data>
type Look = Static<typeof proveClaim.data>

const CLAIM = '/tools/:slug/claim'

export const claimPages: VisitPages = {
  [CLAIM]: {
    GET: (visit) => showClaim(visit),
    POST: action({
      operation: startClaim,
      back: claimPath,
      text: 'The claim is begun. Show the token in one of three ways.',
    }),
  },
  // The page with the outcome of a look has this address, and a browser that loads it again sends a GET.
  [`${CLAIM}/check`]: { GET: (visit) => visit.redirect(claimPath(visit)), POST: checkClaim },
  [`${CLAIM}/end`]: {
    POST: action({ operation: endOwnClaim, back: claimPath, done: OWN_PRODUCTS, text: 'The claim is ended.' }),
  },
}

const slugOf = (visit: Visit) => ({ slug: visit.param('slug') })
function claimPath(visit: Visit): string {
  return `/tools/${encodeURIComponent(visit.param('slug'))}/claim`
}

async function showClaim(
  visit: Visit,
  outcome?: { look?: Look; problem?: string; status: number },
): Promise<FastifyReply> {
  const claim = await visit.perform(getOwnClaim, slugOf(visit))
  const { name } = claim.tool
  const flash: Flash[] = outcome?.problem
    ? [{ kind: 'danger', text: outcome.problem, isPermanent: true }]
    : outcome?.look && !outcome.look.method
      ? [{ kind: 'notice', text: 'The token was not found yet.', isPermanent: true }]
      : []
  const isProven = claim.isOwner && !claim.mustProve
  const page = {
    title: `Claim ${oneLine(name, 40)}`,
    flash,
    body: html`<div class="flow">
<h1>${isProven ? html`<bdi>${name}</bdi> is yours` : html`Claim <bdi>${name}</bdi>`}</h1>
${claimBody(visit.service, claim, isProven, visit.values, outcome?.look)}
</div>`,
  }
  return visit.send(page, outcome?.status)
}

async function checkClaim(visit: Visit): Promise<FastifyReply> {
  try {
    const look = await visit.perform(proveClaim, slugOf(visit))
    return await showClaim(visit, { look, status: look.method ? 200 : 400 })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return showClaim(visit, { problem: error.message, status: error.status })
  }
}

const pathOf = ({ tool }: Claim): string => `/tools/${tool.slug}/claim`

function claimBody(
  service: Service,
  claim: Claim,
  isProven: boolean,
  values: Record<string, string>,
  look?: Look,
): Markup {
  if (claim.token === null) return startBody(claim, values)
  return isProven ? ownedBody(claim, values, service) : proofBody(claim, claim.token, values, look)
}

const startBody = (claim: Claim, values: Record<string, string>): Markup =>
  html`<p class="lead">Prove that <bdi>${claim.host || claim.website}</bdi> is yours, and the listing is too. You get a token to show in one of three ways.</p>
<div class="beside"><section class="panel flow"><ul class="marks">${CLAIM_WAYS.map(([name, text]) => html`<li>${icon(name, 'small')}${text}</li>`)}</ul>
<p>It takes minutes and costs nothing. The token is only for your account and this listing.</p>
${claim.isFull && html`<p>The listing has ${MOST_OWNERS} owners, which is the most.</p>`}
<div class="row">${actionForm({ action: pathOf(claim), label: 'Begin the claim', values })}${linkButton(`/tools/${claim.tool.slug}`, 'See the listing', { kind: 'plain' })}</div></section>
${whatItBrings}</div>`

const whatItBrings = html`<aside class="side"><section class="panel flow"><h2>What it brings</h2>${numberedSteps(listedSteps.slice(1))}</section></aside>`

const ownedBody = (
  claim: Claim,
  values: Record<string, string>,
  { sellsPackages }: Pick<Service, 'sellsPackages'>,
): Markup =>
  html`<p class="lead">${proofSentence(claim.method)}</p>
<div class="row">${linkButton(ownedPath(claim.tool.slug), 'Numbers, changes and badge')}${sellsPackages && linkButton(`${NEW_ORDER_PAGE}?tool=${claim.tool.slug}`, 'Order a package', { kind: 'plain' })}${linkButton(OWN_PRODUCTS, 'Your products', { kind: 'plain' })}</div>
<section class="panel flow"><h2>Your proof</h2>
${claim.token !== null && codeBlock('Your token', claim.token)}
${confirmedAction({ action: `${pathOf(claim)}/end`, label: 'Give it up', slim: true, values, question: 'Your account then no longer owns the listing.', confirmLabel: 'Give it up' })}</section>`

function proofBody(claim: Claim, token: string, values: Record<string, string>, look?: Look): Markup {
  const isDnsPossible = !/^[\d.]+$|^\[/.test(claim.host)
  const ways: readonly (readonly [method: ProofMethod, title: string, text: Markup | string, code: string])[] = [
    [
      'dns',
      'DNS',
      html`A TXT entry on <bdi>${claim.host}</bdi>${claim.domain !== claim.host && html` or <bdi>${claim.domain}</bdi>`}. It may take minutes until it is seen.`,
      proofEntry(token),
    ],
    ['file', 'File', html`At <bdi>${new URL(PROOF_PATH, claim.website).href}</bdi>, with this line.`, token],
    ['meta', 'Tag', html`In the <code>head</code> of <bdi>${claim.website}</bdi>.`, proofTag(token)],
  ]
  const shown = ways.filter(([method]) => method !== 'dns' || isDnsPossible)
  return html`${claim.isOwner && html`<p>${badge('Prove it again', 'danger')} ${claim.failedAt ? html`Your token was not found on <bdi>${claim.host}</bdi>. The listing stays yours if it is found by ${lastDay(claim.failedAt)}.` : html`The listing has another website now. Show your token on <bdi>${claim.host}</bdi>, and it stays yours.`}</p>`}
<p class="lead">Show the token in one of these ways, then let us look. It is only for your account and this listing.</p>
<div class="beside"><section class="panel flow">
${codeTabs(
  'way',
  'Way to show the token',
  shown.map(([method, title, text, code]) => ({
    label: title,
    blocks: html`<p>${text}</p>${codeBlock(method === 'meta' ? 'Your tag' : 'Your token', code)}`,
  })),
)}
${look && html`<ul class="marks" aria-label="What we found">${shown.map(([method, title]) => html`<li><strong>${title}</strong> ${look.unreachable.includes(method) ? badge('Could not look') : badge('Not found', 'notice')} ${look.notes[method]}</li>\n`)}</ul>`}
<div class="row">${actionForm({ action: `${pathOf(claim)}/check`, label: 'Look now', values })}${actionForm({ action: `${pathOf(claim)}/end`, label: 'Give up the claim', kind: 'plain', values })}</div>
</section>
${whatItBrings}</div>`
}
