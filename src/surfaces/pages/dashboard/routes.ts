// The routes of the dashboard. Each page performs operations as the signed-in user, and these read and change only what the user owns.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { changePassword } from '../../../features/accounts/sign-in.ts'
import { listOwnClaims } from '../../../features/founders/claims/operations.ts'
import { listOwnSums } from '../../../features/founders/owned/account.operations.ts'
import { listOwnProducts } from '../../../features/founders/products/account.operations.ts'
import * as own from '../../../features/keys/account.operations.ts'
import { KEY_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import { rotateOwnKey } from '../../../features/keys/operations.ts'
import type { Surface } from '../../../features/keys/rules.ts'
import * as person from '../../../features/people/operations.ts'
import { getOwnSubmission, listOwnSubmissions } from '../../../features/submissions/partner/correct.operations.ts'
import { getOwnConversation, listOwnConversations } from '../../../features/support/operations.ts'
import { bucketOf } from '../../../kernel/invoke.ts'
import { dayOf } from '../../../kernel/values/days.ts'
import { setCookies } from '../../http/requests/sessions.ts'
import type { Service } from '../../http/service.ts'
import { chargeAttempt } from '../account/attempts.ts'
import { productRows } from '../founders/product-list.ts'
import { action } from '../kit/forms/actions.ts'
import { readListPage } from '../kit/lists/paged-lists.ts'
import { act, addPrivatePages, type Visit, type VisitPages } from '../kit/sending/private-pages.ts'
import { accountPage, deleteAccountPage } from './account.ts'
import { appPages } from './apps.ts'
import { DASHBOARD } from './frame.ts'
import { type Account, keysPage, newKeyPage, type OwnKey, PARTNER_KEYS, revokePage, rotatePage } from './keys.ts'
import { ownOrderPages } from './orders.ts'
import { ownPartnerOf, submissionPage, submissionsPage } from './partner/partner.ts'
import { conversationPage, PARTNER_SUPPORT, supportPage } from './partner/support.ts'
import { partnerWebhookPages } from './partner/webhooks.ts'
import { ownPlanPages } from './plan.ts'
import { savedPages } from './saved.ts'
import { type MinuteUse, usagePage } from './usage.ts'

const HOME = '/dashboard'
const ACCOUNT = '/dashboard/account'

export const addDashboard = (server: FastifyInstance, service: Service): void =>
  addPrivatePages(server, service, DASHBOARD, {
    ...keyPages,
    ...accountPages,
    ...(service.agentsSignIn && appPages),
    ...(service.takesPayments && ownPlanPages),
    ...ownOrderPages,
    ...savedPages,
    ...partnerPages,
    ...partnerWebhookPages,
  })

const keyOf = (visit: Visit): Promise<OwnKey> => visit.perform(own.getOwnKey, { id: visit.param('id') })
const accountOf = (visit: Visit): Promise<Account> => visit.perform(own.getAccount, {})

const keyPages: VisitPages = {
  [HOME]: { GET: showKeys },
  '/dashboard/keys': {
    POST: (visit) => {
      const { name = '', agree } = visit.form
      return visit.orBack(HOME, async () => {
        const made = await visit.perform(own.createOwnKey, {}, { name, agree: agree === 'true' })
        // The key is shown in this answer and not after a redirect, because it is stored nowhere and cannot be read again.
        return visit.send(newKeyPage(made, visit.service.publicUrl), 201)
      })
    },
  },
  '/dashboard/keys/:id/revoke': {
    GET: async (visit) => visit.send(revokePage(await keyOf(visit), visit.token)),
    POST: action({ operation: own.revokeOwnKey, back: HOME, text: 'The key is revoked.' }),
  },
  '/dashboard/keys/:id/rotate': {
    GET: async (visit) => visit.send(rotatePage(await keyOf(visit), visit.token)),
    POST: (visit) => {
      const { overlapHours = '' } = visit.form
      return visit.orBack(HOME, async () => {
        const hours = overlapHours === '' ? {} : { overlapHours: Number(overlapHours) }
        const made = await visit.perform(rotateOwnKey, { id: visit.param('id') }, hours)
        const page = newKeyPage(made, visit.service.publicUrl, { previousUntil: made.previousValidUntil })
        return visit.send(page, 201)
      })
    },
  },
  '/dashboard/usage': { GET: showUsage },
}

const accountPages: VisitPages = {
  [ACCOUNT]: { GET: async (visit) => visit.send(accountPage(await accountOf(visit), visit.token)) },
  '/dashboard/account/password': { POST: setPassword },
  '/dashboard/account/export': {
    GET: async ({ perform, reply }) => {
      const data = await perform(person.exportAccount, {})
      reply.header('content-disposition', `attachment; filename="my-data-${dayOf(Date.now())}.json"`)
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(data, null, 2))
    },
  },
  '/dashboard/account/delete': {
    GET: async (visit) => {
      const keys = await visit.perform(own.listOwnKeys, {})
      const live = keys.filter(({ revokedAt }) => revokedAt === null).length
      const { takesPayments } = visit.service
      return visit.send(deleteAccountPage(await accountOf(visit), live, takesPayments, visit.token))
    },
    POST: deleteAccount,
  },
}

/** Pages for users who work for a partner; other users get a 403. */
const partnerPages: VisitPages = {
  '/dashboard/partner': {
    GET: async (visit) => {
      const list = await readListPage(visit, listOwnSubmissions)
      return visit.send(submissionsPage(visit, await ownPartnerOf(visit), list))
    },
  },
  [PARTNER_KEYS]: {
    POST: (visit) =>
      visit.orBack(HOME, async () => {
        const { key } = await visit.perform(own.createOwnTestKey, {})
        const page = newKeyPage({ key, name: 'Test key' }, visit.service.publicUrl, { isTest: true })
        return visit.send(page, 201)
      }),
  },
  [`${PARTNER_KEYS}/:id/revoke`]: {
    POST: action({ operation: own.revokeOwnTestKey, back: HOME, text: 'The test key is revoked.' }),
  },
  '/dashboard/partner/submissions/:slug': {
    GET: async (visit) =>
      visit.send(submissionPage(visit, await visit.perform(getOwnSubmission, { slug: visit.param('slug') }))),
  },
  [PARTNER_SUPPORT]: {
    GET: async (visit) => {
      const list = await readListPage(visit, listOwnConversations)
      return visit.send(supportPage(await ownPartnerOf(visit), list))
    },
  },
  [`${PARTNER_SUPPORT}/:id`]: {
    GET: async (visit) =>
      visit.send(conversationPage(await visit.perform(getOwnConversation, { id: visit.param('id') }))),
  },
}

async function showKeys(visit: Visit): Promise<FastifyReply> {
  const account = await accountOf(visit)
  const keys = await visit.perform(own.listOwnKeys, {})
  const usage = await visit.perform(own.listOwnUsage, {})
  const today = dayOf(Date.now())
  const partnerKeys = account.partner ? await visit.perform(own.listOwnPartnerKeys, {}) : []
  const products = visit.service.founders === 'off' ? null : await firstProducts(visit)
  const page = keysPage({
    account,
    keys,
    partnerKeys,
    usage,
    today,
    token: visit.token,
    products,
    hasFounders: visit.service.founders !== 'off',
  })
  return visit.send(page)
}

const FIRST_PRODUCTS = 5

async function firstProducts(visit: Visit): Promise<ReturnType<typeof productRows>> {
  const sent = await visit.perform(listOwnProducts, { limit: 50 })
  const owned = await visit.perform(listOwnClaims, {})
  const sums = owned.length > 0 ? await visit.perform(listOwnSums, {}) : []
  return productRows(sent, owned, { most: FIRST_PRODUCTS, sums })
}

async function showUsage(visit: Visit): Promise<FastifyReply> {
  const { key: id } = visit.request.query as { key?: string }
  const key = id ? await visit.perform(own.getOwnKey, { id }) : null
  const account = await accountOf(visit)
  const keys = await visit.perform(own.listOwnKeys, {})
  const page = usagePage({
    usage: await visit.perform(own.listOwnUsage, {}),
    outcomes: await visit.perform(own.listOwnOutcomes, key ? { key: key.id } : {}),
    calls: await visit.perform(own.listOwnCalls, key ? { key: key.id } : {}),
    minute: await minuteUse(visit.service, key ? [key] : keys.filter(({ revokedAt }) => revokedAt === null), account),
    mayUpgrade: visit.service.takesPayments && account.plan === 'standard',
    keys,
    key,
    now: new Date(),
  })
  return visit.send(page)
}

/** For REST and for MCP, the use of the key that has used the largest share of its budget in the current minute. */
async function minuteUse(service: Service, keys: readonly OwnKey[], { plan }: Account): Promise<MinuteUse> {
  const busiestUse = async (surface: Surface) => {
    const budgetsOf = (key: { plan: Account['plan'] }) =>
      service.scale([{ calls: KEY_BUDGETS[surface][key.plan], seconds: 60 }])
    const uses = await Promise.all(
      keys.map(async (key) => {
        const { limit, remaining } = await service.limiter.peek(bucketOf(key.id, surface), budgetsOf(key))
        return { used: limit - remaining, limit }
      }),
    )
    const [busiest] = uses.toSorted((a, b) => b.used / b.limit - a.used / a.limit)
    return busiest ?? { used: 0, limit: budgetsOf({ plan })[0]?.calls ?? 0 }
  }
  return { rest: await busiestUse('rest'), mcp: await busiestUse('mcp') }
}

function setPassword(visit: Visit): Promise<FastifyReply> {
  const { current = '', next = '' } = visit.form
  return act(visit, { back: ACCOUNT, text: 'The password is changed.' }, async () => {
    await chargeAttempt(visit, visit.user.email)
    const cookies = visit.request.headers.cookie ?? ''
    setCookies(visit.reply, await changePassword(visit.ctx, visit.user, cookies, { current, next }))
  })
}

function deleteAccount(visit: Visit): Promise<FastifyReply> {
  const { current = '', confirm = '' } = visit.form
  const words = { back: '/dashboard/account/delete', done: '/sign-in', text: 'The account is deleted.' }
  return act(visit, words, async () => {
    await chargeAttempt(visit, visit.user.email)
    await visit.perform(person.deleteAccount, {}, { confirm, current })
    setCookies(visit.reply, await visit.service.signIn.signOut(visit.request.headers.cookie ?? ''))
  })
}
