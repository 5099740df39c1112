// The routes of the dashboard. Each page performs operations as the signed-in user, and these read and change only what the user owns.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
import { identifiedCaller } from '../../http/gate.ts'
import { setCookies, signedInUser } from '../../http/requests/sessions.ts'
import type { Service } from '../../http/service.ts'
import { chargeAttempt } from '../account/attempts.ts'
import { productRows } from '../founders/product-list.ts'
import { csrfField, formOf } from '../kit/forms/forms.ts'
import { readListPage } from '../kit/lists/paged-lists.ts'
import { param } from '../kit/sending/answers.ts'
import { redirectWith } from '../kit/sending/messages.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../kit/sending/private-pages.ts'
import { accountPage, deleteAccountPage } from './account.ts'
import { addAppPages } from './apps.ts'
import { sendDashboard } from './frame.ts'
import { type Account, keysPage, newKeyPage, type OwnKey, PARTNER_KEYS, revokePage, rotatePage } from './keys.ts'
import { addOwnOrderPages } from './orders.ts'
import * as partnerPages from './partner/partner.ts'
import * as supportPages from './partner/support.ts'
import { addPartnerWebhookPages } from './partner/webhooks.ts'
import { addOwnPlanPages } from './plan.ts'
import { addSavedPages } from './saved.ts'
import { type MinuteUse, usagePage } from './usage.ts'

const HOME = '/dashboard'
const ACCOUNT = '/dashboard/account'

export function addDashboard(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'user', {
    [HOME]: { GET: (request, reply) => showKeys(service, request, reply) },
    '/dashboard/keys': { POST: (request, reply) => makeKey(service, request, reply) },
    '/dashboard/keys/:id/revoke': {
      GET: async (request, reply) => {
        const key = await performAs(service, request, own.getOwnKey, { id: param(request, 'id') })
        return sendDashboard(service, request, reply, revokePage(key, csrfField(request)))
      },
      POST: (request, reply) =>
        actAndRedirect(service, reply, { back: HOME, done: HOME, successText: 'The key is revoked.' }, () =>
          performAs(service, request, own.revokeOwnKey, { id: param(request, 'id') }),
        ),
    },
    '/dashboard/keys/:id/rotate': {
      GET: async (request, reply) => {
        const key = await performAs(service, request, own.getOwnKey, { id: param(request, 'id') })
        return sendDashboard(service, request, reply, rotatePage(key, csrfField(request)))
      },
      POST: (request, reply) => replaceKey(service, request, reply),
    },
    '/dashboard/usage': { GET: (request, reply) => showUsage(service, request, reply) },
    [ACCOUNT]: {
      GET: async (request, reply) =>
        sendDashboard(service, request, reply, accountPage(await accountOf(service, request), csrfField(request))),
    },
    '/dashboard/account/password': { POST: (request, reply) => setPassword(service, request, reply) },
    '/dashboard/account/export': {
      GET: async (request, reply) => {
        const data = await performAs(service, request, person.exportAccount, {})
        reply.header('content-disposition', `attachment; filename="my-data-${dayOf(Date.now())}.json"`)
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(data, null, 2))
      },
    },
    '/dashboard/account/delete': {
      GET: async (request, reply) => {
        const keys = await performAs(service, request, own.listOwnKeys, {})
        const live = keys.filter(({ revokedAt }) => revokedAt === null).length
        const page = deleteAccountPage(
          await accountOf(service, request),
          live,
          service.takesPayments,
          csrfField(request),
        )
        return sendDashboard(service, request, reply, page)
      },
      POST: (request, reply) => deleteAccount(service, request, reply),
    },
  })
  if (service.agentsSignIn) addAppPages(server, service)
  if (service.takesPayments) addOwnPlanPages(server, service)
  addOwnOrderPages(server, service)
  addSavedPages(server, service)
  addPartnerPages(server, service)
  addPartnerWebhookPages(server, service)
}

/** Pages for users who work for a partner; other users get a 403. */
function addPartnerPages(server: FastifyInstance, service: Service): void {
  const partnerOf = (request: FastifyRequest) => partnerPages.ownPartnerOf(service, request)
  addPrivatePages(server, service, 'user', {
    '/dashboard/partner': {
      GET: async (request, reply) => {
        const list = await readListPage(service, request, listOwnSubmissions)
        return sendDashboard(
          service,
          request,
          reply,
          partnerPages.submissionsPage({ service, request }, await partnerOf(request), list),
        )
      },
    },
    [PARTNER_KEYS]: { POST: (request, reply) => makeTestKey(service, request, reply) },
    [`${PARTNER_KEYS}/:id/revoke`]: {
      POST: (request, reply) =>
        actAndRedirect(service, reply, { back: HOME, done: HOME, successText: 'The test key is revoked.' }, () =>
          performAs(service, request, own.revokeOwnTestKey, { id: param(request, 'id') }),
        ),
    },
    '/dashboard/partner/submissions/:slug': {
      GET: async (request, reply) => {
        const slug = param(request, 'slug')
        const status = await performAs(service, request, getOwnSubmission, { slug })
        return sendDashboard(service, request, reply, partnerPages.submissionPage({ service, request }, status))
      },
    },
    [supportPages.PARTNER_SUPPORT]: {
      GET: async (request, reply) => {
        const list = await readListPage(service, request, listOwnConversations)
        return sendDashboard(service, request, reply, supportPages.supportPage(await partnerOf(request), list))
      },
    },
    [`${supportPages.PARTNER_SUPPORT}/:id`]: {
      GET: async (request, reply) => {
        const id = param(request, 'id')
        const found = await performAs(service, request, getOwnConversation, { id })
        return sendDashboard(service, request, reply, supportPages.conversationPage(found))
      },
    },
  })
}

const accountOf = (service: Service, request: FastifyRequest): Promise<Account> =>
  performAs(service, request, own.getAccount, {})

async function showKeys(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const account = await accountOf(service, request)
  const keys = await performAs(service, request, own.listOwnKeys, {})
  const usage = await performAs(service, request, own.listOwnUsage, {})
  const today = dayOf(Date.now())
  const partnerKeys = account.partner ? await performAs(service, request, own.listOwnPartnerKeys, {}) : []
  const products = service.founders === 'off' ? null : await firstProducts(service, request)
  const page = keysPage({
    account,
    keys,
    partnerKeys,
    usage,
    today,
    token: csrfField(request),
    products,
    hasFounders: service.founders !== 'off',
  })
  return sendDashboard(service, request, reply, page)
}

const FIRST_PRODUCTS = 5

async function firstProducts(service: Service, request: FastifyRequest): Promise<ReturnType<typeof productRows>> {
  const sent = await performAs(service, request, listOwnProducts, { limit: 50 })
  const owned = await performAs(service, request, listOwnClaims, {})
  const sums = owned.length > 0 ? await performAs(service, request, listOwnSums, {}) : []
  return productRows(sent, owned, { most: FIRST_PRODUCTS, sums })
}

async function makeKey(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { name = '', agree } = formOf(request)
  try {
    const made = await performAs(service, request, own.createOwnKey, {}, { name, agree: agree === 'true' })
    // The key is shown in this answer and not after a redirect, because it is stored nowhere and cannot be read again.
    return sendDashboard(service, request, reply, newKeyPage(made, service.publicUrl), 201)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return redirectWith(service, reply, HOME, { kind: 'danger', text: error.message })
  }
}

async function makeTestKey(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  try {
    const { key } = await performAs(service, request, own.createOwnTestKey, {})
    const page = newKeyPage({ key, name: 'Test key' }, service.publicUrl, { isTest: true })
    return sendDashboard(service, request, reply, page, 201)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return redirectWith(service, reply, HOME, { kind: 'danger', text: error.message })
  }
}

async function replaceKey(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const id = param(request, 'id')
  const { overlapHours = '' } = formOf(request)
  try {
    const hours = overlapHours === '' ? {} : { overlapHours: Number(overlapHours) }
    const made = await performAs(service, request, rotateOwnKey, { id }, hours)
    return sendDashboard(
      service,
      request,
      reply,
      newKeyPage(made, service.publicUrl, { previousUntil: made.previousValidUntil }),
      201,
    )
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return redirectWith(service, reply, HOME, { kind: 'danger', text: error.message })
  }
}

async function showUsage(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { key: id } = request.query as { key?: string }
  const key = id ? await performAs(service, request, own.getOwnKey, { id }) : null
  const account = await accountOf(service, request)
  const keys = await performAs(service, request, own.listOwnKeys, {})
  const page = usagePage({
    usage: await performAs(service, request, own.listOwnUsage, {}),
    outcomes: await performAs(service, request, own.listOwnOutcomes, key ? { key: key.id } : {}),
    calls: await performAs(service, request, own.listOwnCalls, key ? { key: key.id } : {}),
    minute: await minuteUse(service, key ? [key] : keys.filter(({ revokedAt }) => revokedAt === null), account),
    mayUpgrade: service.takesPayments && account.plan === 'standard',
    keys,
    key,
    now: new Date(),
  })
  return sendDashboard(service, request, reply, page)
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

const setPassword = (service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
  actAndRedirect(
    service,
    reply,
    { back: ACCOUNT, done: ACCOUNT, successText: 'The password is changed.' },
    async () => {
      const { current = '', next = '' } = formOf(request)
      const user = signedInUser(request)
      await chargeAttempt(service, request, user.email)
      const ctx = service.context(identifiedCaller(request))
      setCookies(reply, await changePassword(ctx, user, request.headers.cookie ?? '', { current, next }))
    },
  )

async function deleteAccount(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const back = '/dashboard/account/delete'
  return actAndRedirect(
    service,
    reply,
    { back, done: '/sign-in', successText: 'The account is deleted.' },
    async () => {
      const { current = '', confirm = '' } = formOf(request)
      await chargeAttempt(service, request, signedInUser(request).email)
      await performAs(service, request, person.deleteAccount, {}, { confirm, current })
      setCookies(reply, await service.signIn.signOut(request.headers.cookie ?? ''))
    },
  )
}
