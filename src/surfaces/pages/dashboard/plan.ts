// The plan of the signed-in user: comparing, buying and managing the paid plan. Exists only while the paid plan is set up.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { PLAN_LABELS, type Plan } from '../../../features/accounts/schema.ts'
import { PLAN_PAGE, RETURNED } from '../../../features/billing/checkout.ts'
import { compareOwnPlan, getOwnPlan, openOwnPortal, startOwnCheckout } from '../../../features/billing/operations.ts'
import { GRACE_DAYS, hasEnded } from '../../../features/billing/rules.ts'
import type { ownPlanSchema } from '../../../features/billing/schema.ts'
import { KEY_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import { Failure } from '../../../kernel/errors.ts'
import { actionForm } from '../kit/button.ts'
import { card, type Flash, planBadge } from '../kit/components.ts'
import { html, type Markup } from '../kit/markup.ts'
import { allowFormsTo } from '../kit/sending/answers.ts'
import { isCorrectable, type Visit, type VisitPages } from '../kit/sending/private-pages.ts'
import { date } from '../kit/values.ts'

const CHECKOUT = `${PLAN_PAGE}/checkout`
const PORTAL = `${PLAN_PAGE}/portal`

type OwnPlan = Static<typeof ownPlanSchema>
type OwnSubscription = OwnPlan['subscriptions'][number]

export const ownPlanPages: VisitPages = {
  [PLAN_PAGE]: { GET: showPlan },
  [CHECKOUT]: { POST: (visit) => goToPaymentService(visit, PLAN_PAGE, () => visit.perform(startOwnCheckout, {})) },
  [PORTAL]: { POST: (visit) => goToPaymentService(visit, PLAN_PAGE, () => visit.perform(openOwnPortal, {})) },
}

async function showPlan(visit: Visit): Promise<FastifyReply> {
  const hasReturned = visit.query([RETURNED])[RETURNED] === 'done'
  if (hasReturned) await compareIfPossible(visit)
  const ownPlan = await visit.perform(getOwnPlan, {})
  // The form leads to the payment service. Any https address is allowed, because Stripe's pages may have a domain of the operator.
  allowFormsTo(visit.reply, 'https:')
  const flash = hasReturned ? [returnMessage(ownPlan)] : []
  return visit.send({ ...planPage(ownPlan, visit.values), flash })
}

/** Brings plan and orders up to date, unless the payment service gives no answer or was asked too often: the page is shown all the same. */
export async function compareIfPossible(visit: Visit): Promise<void> {
  try {
    await visit.perform(compareOwnPlan, {})
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

const returnMessage = ({ paidPlan }: OwnPlan): Flash =>
  paidPlan === 'premium'
    ? { kind: 'good', text: 'Thank you. You have Premium.' }
    : {
        kind: 'notice',
        text: 'Your payment is not confirmed yet. That mostly takes seconds; load this page again in a moment.',
      }

/** Redirects to the payment service. A failure that the user can correct, or that passes, leads to the page `back`, which shows it. */
export async function goToPaymentService(
  { service, request, redirect }: Visit,
  back: string,
  findAddress: () => Promise<{ url: string }>,
): Promise<FastifyReply> {
  try {
    const { url } = await findAddress()
    return redirect(url)
  } catch (error) {
    if (!isCorrectable(error) && !(error instanceof Failure && error.status === 503)) throw error
    if (error.cause) service.log.warn({ err: error.cause, id: request.id }, 'the payment service gave no address')
    return redirect(back, { kind: 'danger', text: error.message })
  }
}

const planPage = (own: OwnPlan, values: Record<string, string>) => ({
  title: 'Plan',
  body: html`<div class="flow">
<h1>Plan</h1>
<p class="row tight">Your plan: ${planBadge(own.plan)}</p>
${stateSentences(own).map((sentence) => html`<p>${sentence}</p>\n`)}
<div class="grid fit">
${planCard('standard', own, html`<span class="price">0</span>`, null)}
${planCard('premium', own, priceLine(own.price), upgradeForm(own, values))}
</div>
${
  own.canManage &&
  html`<section class="flow"><h2>Billing</h2>
<p>Change the card, see invoices, cancel or resume: at Stripe, which takes the payments. Nothing of your card reaches this service.</p>
<div class="row">${actionForm({ action: PORTAL, label: 'Manage billing', kind: 'plain', values })}</div></section>`
}
</div>`,
})

const priceLine = (price: string | null): Markup =>
  price
    ? html`<span class="price">${price}</span>`
    : html`The price cannot be read at the moment. The checkout shows it before you pay.`

const planCard = (plan: Plan, own: OwnPlan, price: Markup, action: Markup | null): Markup =>
  card(
    PLAN_LABELS[plan],
    html`<p>${price}</p><ul class="listed"><li>${KEY_BUDGETS.rest[plan]} REST calls a minute and key</li><li>${KEY_BUDGETS.mcp[plan]} MCP calls a minute and key</li><li>All of your keys and apps</li></ul>${own.plan === plan && html`<p class="small">This is your plan.</p>`}${action}`,
    { accent: plan === 'premium', level: 2 },
  )

const isOpen = (subscription: OwnSubscription): boolean =>
  !hasEnded(subscription) && subscription.status !== 'incomplete'

const upgradeForm = (own: OwnPlan, values: Record<string, string>): Markup | null =>
  own.grantedPlan === 'premium' || own.subscriptions.some(isOpen)
    ? null
    : actionForm({ action: CHECKOUT, label: 'Upgrade', values })

function stateSentences(own: OwnPlan): (Markup | string)[] {
  const sentences = own.subscriptions.filter(isOpen).map(sentenceOf)
  const [first] = own.subscriptions
  if (sentences.length === 0 && own.paidPlan === 'premium' && first?.premiumUntil)
    sentences.push(html`Your subscription has ended. Premium stays until ${date(first.premiumUntil)}, which is paid.`)
  if (sentences.length > 1)
    sentences.push(
      'You have more than one subscription, and each is charged. Cancel those that you do not need with Manage billing.',
    )
  if (own.grantedPlan === 'premium')
    sentences.push('The operator of this service has given you Premium, so there is nothing to pay for it.')
  return sentences
}

function sentenceOf({ since, paidUntil, endsAt, premiumUntil, failing }: OwnSubscription): Markup | string {
  if (failing && premiumUntil)
    return html`The last payment failed. Premium stays for ${GRACE_DAYS} days after the paid period, until ${date(premiumUntil)}. Check your card with Manage billing.`
  if (!since || !paidUntil) return 'Premium begins as soon as your first payment is confirmed.'
  if (endsAt) return html`Your subscription is cancelled. Premium stays until ${date(paidUntil)}, which is paid.`
  return html`Premium since ${date(since)}, paid until ${date(paidUntil)}. It renews by itself until you cancel it.`
}
