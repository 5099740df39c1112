// Routes of the pages on which users of a partner manage its webhooks. Their operations find the partner by the signed-in user.
import type { FastifyReply } from 'fastify'
import { changeOwnWebhook, rotateOwnSecret } from '../../../../features/partners/webhook-settings.operations.ts'
import * as own from '../../../../features/webhooks/partner.operations.ts'
import { expectedVersionOf, refusalOf } from '../../kit/forms/forms.ts'
import { readListPage } from '../../kit/lists/paged-lists.ts'
import type { PageMessage } from '../../kit/sending/messages.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { chosenEvents } from '../../webhook-parts.ts'
import { ownPartnerOf } from './partner.ts'
import * as pages from './webhook-pages.ts'

export const partnerWebhookPages: VisitPages = {
  [pages.WEBHOOKS]: {
    GET: async (visit) => {
      const isTest = visit.query(['test']).test === 'true'
      const list = await readListPage(visit, own.listOwnDeliveries, { test: isTest })
      return visit.send(pages.webhooksPage(await ownPartnerOf(visit), list, visit.values, isTest))
    },
  },
  [`${pages.WEBHOOKS}/settings`]: {
    GET: async (visit) => {
      const partner = await ownPartnerOf(visit)
      return visit.send(pages.settingsPage(pages.typedWebhook(partner), partner, visit.token))
    },
    POST: saveSettings,
  },
  [`${pages.WEBHOOKS}/test`]: { POST: sendTest },
  [`${pages.WEBHOOKS}/:id`]: {
    GET: async (visit) => {
      const delivery = await visit.perform(own.getOwnDelivery, { id: visit.param('id') })
      const { webhookUrl } = await ownPartnerOf(visit)
      return visit.send(pages.deliveryPage(delivery, webhookUrl, visit.values))
    },
  },
  [`${pages.WEBHOOKS}/:id/resend`]: { POST: resend },
  [pages.SECRET]: {
    GET: async (visit) => visit.send(pages.replaceSecretPage(await ownPartnerOf(visit), visit.token)),
    POST: replaceSecret,
  },
}

async function saveSettings(visit: Visit): Promise<FastifyReply> {
  const form = visit.form
  const typed = { webhookUrl: form.webhookUrl?.trim() ?? '', events: chosenEvents(form) }
  try {
    const body = { ...typed, webhookUrl: typed.webhookUrl || null }
    await visit.perform(changeOwnWebhook, expectedVersionOf(visit), body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const refusal = refusalOf(error, pages.SETTINGS_LABELS)
    const partner = await ownPartnerOf(visit)
    // After a conflict the form has the stored version, and the page shows the stored values, so that a user who saves again overwrites them
    // knowingly.
    const basedOn =
      error.status === 409 ? partner : { ...partner, version: Number(visit.form.version) || partner.version }
    const stored = error.status === 409 ? pages.storedWebhook(typed, partner) : undefined
    const page = pages.settingsPage(typed, basedOn, visit.token, refusal, stored)
    return visit.send(page, error.status)
  }
  return visit.redirect(pages.WEBHOOKS, { kind: 'good', text: 'Saved.' })
}

async function sendTest(visit: Visit): Promise<FastifyReply> {
  return visit.orBack(pages.WEBHOOKS, async () => {
    const { id, state, status, error } = await visit.perform(own.sendOwnTest, {})
    const message: PageMessage =
      state === 'delivered'
        ? { kind: 'good', text: `The test event arrived: the receiver answered ${status}.` }
        : state === 'pending'
          ? { kind: 'notice', text: 'The test event has no outcome yet. Load this page again in a moment.' }
          : { kind: 'danger', text: `The test event did not arrive. ${error ?? 'Its outcome is unknown.'}` }
    return visit.redirect(`${pages.WEBHOOKS}/${id}`, message)
  })
}

async function resend(visit: Visit): Promise<FastifyReply> {
  const id = visit.param('id')
  return visit.orBack(`${pages.WEBHOOKS}/${encodeURIComponent(id)}`, async () => {
    const resent = await visit.perform(own.resendOwnDelivery, { id })
    const text = 'It is being sent again, as this new delivery. Load the page again to see what came of it.'
    return visit.redirect(`${pages.WEBHOOKS}/${resent.id}`, { kind: 'good', text })
  })
}

async function replaceSecret(visit: Visit): Promise<FastifyReply> {
  const { overlapHours } = visit.form
  return visit.orBack(pages.SECRET, async () => {
    const body = overlapHours ? { overlapHours: Number(overlapHours) } : {}
    const made = await visit.perform(rotateOwnSecret, {}, body)
    // The secret is shown in this answer and not after a redirect, because it cannot be read again.
    return visit.send(pages.newSecretPage(made.webhookSecret, made.previousValidUntil))
  })
}
