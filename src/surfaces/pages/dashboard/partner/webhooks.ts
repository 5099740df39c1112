// Routes of the pages on which users of a partner manage its webhooks. Their operations find the partner by the signed-in user.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { changeOwnWebhook, rotateOwnSecret } from '../../../../features/partners/account.operations.ts'
import * as own from '../../../../features/webhooks/account.operations.ts'
import type { Service } from '../../../http/service.ts'
import { chosenEvents } from '../../event-boxes.ts'
import { csrfField, csrfValues, expectedVersionOf, formOf, refusalOf } from '../../kit/forms/forms.ts'
import { type AddressQuery, queryText } from '../../kit/lists/address-query.ts'
import { readListPage } from '../../kit/lists/paged-lists.ts'
import { param } from '../../kit/sending/answers.ts'
import { type PageMessage, redirectWith } from '../../kit/sending/messages.ts'
import { addPrivatePages, isCorrectable, performAs } from '../../kit/sending/private-pages.ts'
import { sendDashboard } from '../frame.ts'
import { ownPartnerOf } from './partner.ts'
import * as pages from './webhook-pages.ts'

export function addPartnerWebhookPages(server: FastifyInstance, service: Service): void {
  const handle =
    (work: (service: Service, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    (request: FastifyRequest, reply: FastifyReply) =>
      work(service, request, reply)
  addPrivatePages(server, service, 'user', {
    [pages.WEBHOOKS]: { GET: handle(showList) },
    [`${pages.WEBHOOKS}/settings`]: { GET: handle(showSettings), POST: handle(saveSettings) },
    [`${pages.WEBHOOKS}/test`]: { POST: handle(sendTest) },
    [`${pages.WEBHOOKS}/:id`]: { GET: handle(showDelivery) },
    [`${pages.WEBHOOKS}/:id/resend`]: { POST: handle(resend) },
    [pages.SECRET]: { GET: handle(askToReplace), POST: handle(replaceSecret) },
  })
}

async function showList(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const isTest = queryText(request.query as AddressQuery, 'test') === 'true'
  const list = await readListPage(service, request, own.listOwnDeliveries, { test: isTest })
  const page = pages.webhooksPage(await ownPartnerOf(service, request), list, csrfValues(request), isTest)
  return sendDashboard(service, request, reply, page)
}

async function showSettings(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const partner = await ownPartnerOf(service, request)
  const page = pages.settingsPage(pages.typedWebhook(partner), partner, csrfField(request))
  return sendDashboard(service, request, reply, page)
}

async function saveSettings(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request)
  const typed = {
    webhookUrl: form.webhookUrl?.trim() ?? '',
    events: chosenEvents(form),
  }
  try {
    const body = { ...typed, webhookUrl: typed.webhookUrl || null }
    await performAs(service, request, changeOwnWebhook, expectedVersionOf(request), body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const refusal = refusalOf(error, pages.SETTINGS_LABELS)
    const partner = await ownPartnerOf(service, request)
    // After a conflict the form has the stored version, and the page shows the stored values, so that a user who saves again overwrites them
    // knowingly.
    const basedOn =
      error.status === 409 ? partner : { ...partner, version: Number(formOf(request).version) || partner.version }
    const stored = error.status === 409 ? pages.storedWebhook(typed, partner) : undefined
    const page = pages.settingsPage(typed, basedOn, csrfField(request), refusal, stored)
    return sendDashboard(service, request, reply, page, error.status)
  }
  return redirectWith(service, reply, pages.WEBHOOKS, { kind: 'good', text: 'Saved.' })
}

async function sendTest(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return orRedirectBack(service, reply, pages.WEBHOOKS, async () => {
    const { id, state, status, error } = await performAs(service, request, own.sendOwnTest, {})
    const message: PageMessage =
      state === 'delivered'
        ? { kind: 'good', text: `The test event arrived: the receiver answered ${status}.` }
        : state === 'pending'
          ? { kind: 'notice', text: 'The test event has no outcome yet. Load this page again in a moment.' }
          : { kind: 'danger', text: `The test event did not arrive. ${error ?? 'Its outcome is unknown.'}` }
    return redirectWith(service, reply, `${pages.WEBHOOKS}/${id}`, message)
  })
}

async function showDelivery(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const delivery = await performAs(service, request, own.getOwnDelivery, { id: param(request, 'id') })
  const { webhookUrl } = await ownPartnerOf(service, request)
  return sendDashboard(service, request, reply, pages.deliveryPage(delivery, webhookUrl, csrfValues(request)))
}

async function resend(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const id = param(request, 'id')
  return orRedirectBack(service, reply, `${pages.WEBHOOKS}/${encodeURIComponent(id)}`, async () => {
    const resent = await performAs(service, request, own.resendOwnDelivery, { id })
    const text = 'It is being sent again, as this new delivery. Load the page again to see what came of it.'
    return redirectWith(service, reply, `${pages.WEBHOOKS}/${resent.id}`, { kind: 'good', text })
  })
}

async function askToReplace(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const page = pages.replaceSecretPage(await ownPartnerOf(service, request), csrfField(request))
  return sendDashboard(service, request, reply, page)
}

async function replaceSecret(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { overlapHours } = formOf(request)
  return orRedirectBack(service, reply, pages.SECRET, async () => {
    const body = overlapHours ? { overlapHours: Number(overlapHours) } : {}
    const made = await performAs(service, request, rotateOwnSecret, {}, body)
    // The secret is shown in this answer and not after a redirect, because it cannot be read again.
    return sendDashboard(service, request, reply, pages.newSecretPage(made.webhookSecret, made.previousValidUntil))
  })
}

/** Does the work. A failure that the user can correct redirects to the page `back`, which shows it. */
async function orRedirectBack(
  service: Service,
  reply: FastifyReply,
  back: string,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return redirectWith(service, reply, back, { kind: 'danger', text: error.message })
  }
}
