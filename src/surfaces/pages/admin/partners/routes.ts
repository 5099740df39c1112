// Partners: creating and changing them, their keys and secrets, bans.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listKeys, revokeKey } from '../../../../features/keys/operations.ts'
import { createPartner, createPartnerKey } from '../../../../features/keys/partner-keys.operations.ts'
import { rotateKey } from '../../../../features/keys/rotation.operations.ts'
import { changePartner, getPartner, listPartners, rotateSecret } from '../../../../features/partners/operations.ts'
import { partnerKnowledge } from '../../../../features/support/knowledge.operations.ts'
import { listUsers } from '../../../../features/users/operations.ts'
import { sendTest } from '../../../../features/webhooks/operations.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import type { Service } from '../../../http/service.ts'
import { chosenEvents } from '../../event-boxes.ts'
import { csrfField, csrfValues, formOf } from '../../kit/forms.ts'
import { html } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { readListPage } from '../../kit/paged-lists.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { type Refusal, refusalOf } from '../../kit/problems.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { secretPage } from '../keys.ts'
import { redirectIfRefused } from '../redirect-if-refused.ts'
import { expectedVersionOf } from '../version-field.ts'
import { PARTNER_LABELS, PARTNERS, partnerPage, partnersPage, type TypedPartner } from './pages.ts'
import { planOf, type TypedLimits, typedLimits } from './plan-terms.ts'

export function addPartnerPages(server: FastifyInstance, service: Service): void {
  const idOf = (request: FastifyRequest) => param(request, 'id')
  const pathOf = (request: FastifyRequest) => `${PARTNERS}/${encodeURIComponent(idOf(request))}`
  const find = (request: FastifyRequest) => performAs(service, request, getPartner, { id: idOf(request) })

  async function showPartners(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: TypedPartner = {},
    refusal?: Refusal,
  ) {
    const filters = filtersOf(request, ['q', 'banned'])
    const partners = await readListPage(service, request, listPartners, filters)
    const page = partnersPage(partners, filters, typed, csrfField(request), refusal)
    return sendAdmin(service, request, reply, page, refusal ? 400 : 200)
  }

  async function showPartner(
    request: FastifyRequest,
    reply: FastifyReply,
    { typed, limits, failure }: { typed?: TypedPartner; limits?: TypedLimits; failure?: Failure } = {},
  ) {
    const partner = await find(request)
    const { name, contactEmail, webhookUrl, support } = partner
    const page = partnerPage({
      partner,
      typed: typed ?? { name, contactEmail: contactEmail ?? '', webhookUrl: webhookUrl ?? '', support },
      keys: await performAs(service, request, listKeys, { partner: partner.id, limit: 100 }),
      people: await performAs(service, request, listUsers, { partner: partner.id, limit: 100 }),
      articles: (await performAs(service, request, partnerKnowledge.get, { id: partner.id })).articles.length,
      token: csrfField(request),
      values: csrfValues(request),
      limits,
      refusal: failure && refusalOf(failure, PARTNER_LABELS),
    })
    return sendAdmin(service, request, reply, page, failure?.status)
  }

  addPrivatePages(server, service, 'admin', {
    [PARTNERS]: {
      GET: (request, reply) => showPartners(request, reply),
      POST: async (request, reply) => {
        const typed = typedPartnerOf(request)
        try {
          const made = await performAs(service, request, createPartner, {}, bodyOf(typed))
          const page = secretPage({
            title: 'A new partner',
            intro: html`<strong><bdi>${made.name}</bdi></strong>: hand both over in private.`,
            secrets: [
              ['Key', made.key],
              ['Signing secret of webhooks', made.webhookSecret],
            ],
            back: `${PARTNERS}/${made.id}`,
          })
          return sendAdmin(service, request, reply, page, 201)
        } catch (error) {
          if (!isCorrectable(error)) throw error
          return showPartners(request, reply, typed, refusalOf(error, PARTNER_LABELS))
        }
      },
    },
    [`${PARTNERS}/:id`]: {
      GET: (request, reply) => showPartner(request, reply),
      POST: async (request, reply) => {
        const typed = { ...typedPartnerOf(request), events: chosenEvents(formOf(request)) }
        try {
          await performAs(
            service,
            request,
            changePartner,
            { id: idOf(request), ...expectedVersionOf(request) },
            { ...bodyOf(typed), events: typed.events },
          )
        } catch (error) {
          if (!isCorrectable(error)) throw error
          return showPartner(request, reply, { typed, failure: error })
        }
        return redirectWith(service, reply, pathOf(request), { kind: 'good', text: 'Saved.' })
      },
    },
    [`${PARTNERS}/:id/plan`]: {
      POST: async (request, reply) => {
        const limits = typedLimits(formOf(request))
        const body = { plan: planOf(limits) }
        try {
          await performAs(service, request, changePartner, { id: idOf(request), ...expectedVersionOf(request) }, body)
        } catch (error) {
          if (!isCorrectable(error)) throw error
          return showPartner(request, reply, { limits, failure: error })
        }
        return redirectWith(service, reply, pathOf(request), { kind: 'good', text: 'Saved.' })
      },
    },
    [`${PARTNERS}/:id/ban`]: {
      POST: (request, reply) => {
        const banned = formOf(request).banned === 'true'
        const path = pathOf(request)
        const successText = banned ? 'Banned: its keys have stopped.' : 'The ban is lifted.'
        return actAndRedirect(service, reply, { back: path, done: path, successText }, () =>
          performAs(service, request, changePartner, { id: idOf(request), ...expectedVersionOf(request) }, { banned }),
        )
      },
    },
    [`${PARTNERS}/:id/keys`]: {
      POST: async (request, reply) => {
        const partner = await find(request)
        const test = formOf(request).test === 'true'
        const outcome = await redirectIfRefused(service, reply, pathOf(request), () =>
          performAs(service, request, createPartnerKey, { id: partner.id }, { test }),
        )
        if ('refused' in outcome) return outcome.refused
        const page = secretPage({
          title: test ? 'A new test key' : 'A new key',
          intro: html`For <strong><bdi>${partner.name}</bdi></strong>. ${test ? 'It works now, in the sandbox alone.' : 'It works now, and so do those before it.'}`,
          secrets: [[test ? 'Test key' : 'Key', outcome.done.key]],
          back: pathOf(request),
        })
        return sendAdmin(service, request, reply, page, 201)
      },
    },
    [`${PARTNERS}/:id/keys/:key/rotate`]: {
      POST: async (request, reply) => {
        const partner = await find(request)
        const outcome = await redirectIfRefused(service, reply, pathOf(request), () =>
          performAs(service, request, rotateKey, { id: param(request, 'key') }, {}),
        )
        if ('refused' in outcome) return outcome.refused
        const page = secretPage({
          title: 'A new key',
          intro: html`For <strong><bdi>${partner.name}</bdi></strong>. It works now; the old one stops by itself.`,
          secrets: [['Key', outcome.done.key]],
          back: pathOf(request),
        })
        return sendAdmin(service, request, reply, page, 201)
      },
    },
    [`${PARTNERS}/:id/keys/:key/revoke`]: {
      POST: (request, reply) => {
        const path = pathOf(request)
        return actAndRedirect(service, reply, { back: path, done: path, successText: 'The key is revoked.' }, () =>
          performAs(service, request, revokeKey, { id: param(request, 'key') }),
        )
      },
    },
    [`${PARTNERS}/:id/secret`]: {
      POST: async (request, reply) => {
        const partner = await find(request)
        const outcome = await redirectIfRefused(service, reply, pathOf(request), () =>
          performAs(
            service,
            request,
            rotateSecret,
            { id: partner.id, ...expectedVersionOf(request) },
            formOf(request).overlapHours === '0' ? { overlapHours: 0 } : {},
          ),
        )
        if ('refused' in outcome) return outcome.refused
        const page = secretPage({
          title: 'A new signing secret',
          intro: html`For <strong><bdi>${partner.name}</bdi></strong>. Events are signed with it from now on.`,
          secrets: [['Signing secret of webhooks', outcome.done.webhookSecret]],
          back: pathOf(request),
        })
        return sendAdmin(service, request, reply, page, 201)
      },
    },
    [`${PARTNERS}/:id/test-event`]: {
      POST: async (request, reply) => {
        const outcome = await redirectIfRefused(service, reply, pathOf(request), () =>
          performAs(service, request, sendTest, { id: idOf(request) }),
        )
        // The page of the delivery says what came of it.
        return 'refused' in outcome
          ? outcome.refused
          : redirectWith(service, reply, `/admin/webhooks/${outcome.done.id}`)
      },
    },
  })
}

const typedPartnerOf = (request: FastifyRequest): TypedPartner => {
  const { name, contactEmail, webhookUrl, support } = formOf(request)
  return { name, contactEmail, webhookUrl, support }
}

const bodyOf = ({ name = '', contactEmail, webhookUrl, support }: TypedPartner) => ({
  name: name.trim(),
  contactEmail: contactEmail?.trim() || null,
  webhookUrl: webhookUrl?.trim() || null,
  ...(support ? { support } : {}),
})
