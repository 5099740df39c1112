// Users: searching them, their plan and role, their keys, sign-in links, bans.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listSubscriptions } from '../../../../features/billing/operations.ts'
import { createKey, listKeys, revokeKey } from '../../../../features/keys/operations.ts'
import { rotateKey } from '../../../../features/keys/rotation.operations.ts'
import { listGrants, withdrawGrant } from '../../../../features/oauth/operations.ts'
import { listPartners } from '../../../../features/partners/operations.ts'
import { changeUser, createUserLink, getUser, listUsers } from '../../../../features/users/operations.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import type { Service } from '../../../http/service.ts'
import { signedInUser } from '../../../http/sessions.ts'
import { csrfField, csrfValues, formOf } from '../../kit/forms.ts'
import { html } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { readListPage } from '../../kit/paged-lists.ts'
import { param } from '../../kit/parameters.ts'
import {
  actAndRedirect,
  addPrivatePages,
  isCorrectable,
  type PrivateRoute,
  performAs,
} from '../../kit/private-pages.ts'
import { type Refusal, refusalFlash, refusalOf } from '../../kit/problems.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { secretPage } from '../keys.ts'
import { redirectIfRefused } from '../redirect-if-refused.ts'
import { expectedVersionOf } from '../version-field.ts'
import { NEW_KEY_LABELS, newKeySection, type TypedUser, USER_LABELS, USERS, userPage, usersPage } from './pages.ts'

export function addUserPages(server: FastifyInstance, service: Service): void {
  const find = (request: FastifyRequest) => performAs(service, request, getUser, { id: param(request, 'id') })
  const partnersFor = (request: FastifyRequest) => performAs(service, request, listPartners, { limit: 1000 })
  const pathOf = (request: FastifyRequest) => `${USERS}/${encodeURIComponent(param(request, 'id'))}`

  async function showUsers(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: { email?: string; name?: string; plan?: string } = {},
    refusal?: Refusal,
  ): Promise<FastifyReply> {
    const filters = filtersOf(request, ['q', 'plan', 'role', 'banned', 'partner'])
    const users = await readListPage(service, request, listUsers, filters)
    const page = usersPage(
      users,
      filters,
      await partnersFor(request),
      newKeySection(csrfField(request), typed, refusal?.marked),
    )
    return sendAdmin(service, request, reply, { ...page, flash: refusalFlash(refusal) }, refusal ? 400 : 200)
  }

  const showKey = (request: FastifyRequest, reply: FastifyReply, made: { key: string; owner: string }, back: string) =>
    sendAdmin(
      service,
      request,
      reply,
      secretPage({
        title: 'A new key',
        intro: html`For <strong><bdi>${made.owner}</bdi></strong>. It works now.`,
        secrets: [['Key', made.key]],
        back,
      }),
      201,
    )

  async function showUser(
    request: FastifyRequest,
    reply: FastifyReply,
    typed?: TypedUser,
    failure?: Failure,
  ): Promise<FastifyReply> {
    const user = await find(request)
    const page = userPage({
      user,
      typed,
      keys: await performAs(service, request, listKeys, { user: user.id, limit: 1000 }),
      grants: service.agentsSignIn
        ? await performAs(service, request, listGrants, { user: user.id, limit: 1000 })
        : null,
      subscriptions: service.takesPayments
        ? await performAs(service, request, listSubscriptions, { user: user.id, limit: 1000 })
        : null,
      partners: await partnersFor(request),
      token: csrfField(request),
      values: csrfValues(request),
      isSelf: signedInUser(request).id === user.id,
      refusal: failure && refusalOf(failure, USER_LABELS),
    })
    return sendAdmin(service, request, reply, page, failure?.status)
  }

  const grantRoutes = (): Record<string, PrivateRoute> => ({
    [`${USERS}/:id/grants/:grant/withdraw`]: {
      POST: (request, reply) => {
        const path = pathOf(request)
        return actAndRedirect(service, reply, { back: path, done: path, successText: 'Access is withdrawn.' }, () =>
          performAs(service, request, withdrawGrant, { id: param(request, 'grant') }),
        )
      },
    },
  })

  addPrivatePages(server, service, 'admin', {
    [USERS]: {
      GET: (request, reply) => showUsers(request, reply),
      POST: async (request, reply) => {
        const { email = '', name = '', plan } = formOf(request)
        try {
          const body = { email: email.trim(), name: name.trim(), ...(plan ? { plan } : {}) }
          const made = await performAs(service, request, createKey, {}, body)
          return showKey(request, reply, made, USERS)
        } catch (error) {
          if (!isCorrectable(error)) throw error
          return showUsers(request, reply, { email, name, plan }, refusalOf(error, NEW_KEY_LABELS))
        }
      },
    },
    [`${USERS}/:id`]: {
      GET: (request, reply) => showUser(request, reply),
      POST: async (request, reply) => {
        const { plan, role, partner } = formOf(request)
        const typed: TypedUser = { plan, role, partner }
        const before = await find(request)
        const stored = { plan: before.grantedPlan, role: before.role, partner: before.partnerId ?? '' }
        // Only the changed fields are sent, because sending the plan again would reset keys that have a plan of their own.
        const names = (['plan', 'role', 'partner'] as const).filter(
          (name) => typed[name] !== undefined && typed[name] !== stored[name],
        )
        const body = Object.fromEntries(names.map((name) => [name, typed[name] || null]))
        const text = names.length === 0 ? 'Nothing changed.' : 'Saved.'
        try {
          if (names.length > 0)
            await performAs(service, request, changeUser, { id: before.id, ...expectedVersionOf(request) }, body)
        } catch (error) {
          if (!isCorrectable(error)) throw error
          return showUser(request, reply, typed, error)
        }
        return redirectWith(service, reply, pathOf(request), { kind: 'good', text })
      },
    },
    [`${USERS}/:id/ban`]: {
      POST: (request, reply) => {
        const banned = formOf(request).banned === 'true'
        const path = pathOf(request)
        const successText = banned ? 'Banned: every key has stopped.' : 'The ban is lifted.'
        return actAndRedirect(service, reply, { back: path, done: path, successText }, () =>
          performAs(
            service,
            request,
            changeUser,
            { id: param(request, 'id'), ...expectedVersionOf(request) },
            { banned },
          ),
        )
      },
    },
    [`${USERS}/:id/keys`]: {
      POST: async (request, reply) => {
        const { name = '', plan } = formOf(request)
        const user = await find(request)
        const body = { email: user.email, name: name.trim(), ...(plan ? { plan } : {}) }
        const path = pathOf(request)
        const outcome = await redirectIfRefused(service, reply, path, () =>
          performAs(service, request, createKey, {}, body),
        )
        return 'refused' in outcome ? outcome.refused : showKey(request, reply, outcome.done, path)
      },
    },
    [`${USERS}/:id/keys/:key/rotate`]: {
      POST: async (request, reply) => {
        const path = pathOf(request)
        const { email } = await find(request)
        const outcome = await redirectIfRefused(service, reply, path, () =>
          performAs(service, request, rotateKey, { id: param(request, 'key') }, {}),
        )
        return 'refused' in outcome
          ? outcome.refused
          : showKey(request, reply, { key: outcome.done.key, owner: email }, path)
      },
    },
    [`${USERS}/:id/keys/:key/revoke`]: {
      POST: (request, reply) => {
        const path = pathOf(request)
        return actAndRedirect(service, reply, { back: path, done: path, successText: 'The key is revoked.' }, () =>
          performAs(service, request, revokeKey, { id: param(request, 'key') }),
        )
      },
    },
    ...(service.agentsSignIn ? grantRoutes() : {}),
    [`${USERS}/:id/link`]: {
      POST: async (request, reply) => {
        const user = await find(request)
        const path = pathOf(request)
        const outcome = await redirectIfRefused(service, reply, path, () =>
          performAs(service, request, createUserLink, { id: user.id }),
        )
        if ('refused' in outcome) return outcome.refused
        const page = secretPage({
          title: 'A sign-in link',
          intro: html`For <strong><bdi>${user.email}</bdi></strong>. It works once, for 24 hours. Hand it over in private.`,
          secrets: [['Sign-in link', outcome.done.url]],
          back: path,
        })
        return sendAdmin(service, request, reply, page, 201)
      },
    },
  })
}
