// Users: searching them, their plan and role, their keys, sign-in links, bans.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { LINK_HOURS } from '../../../../features/accounts/rules.ts'
import { PLAN_LABELS, ROLE_LABELS, type userSchema } from '../../../../features/accounts/schema.ts'
import { listSubscriptions } from '../../../../features/billing/operations.ts'
import { createKey, listKeys, rotateKey } from '../../../../features/keys/operations.ts'
import { listGrants, withdrawGrant } from '../../../../features/oauth/operations.ts'
import { changeUser, createUserLink, getUser, listUsers } from '../../../../features/users/operations.ts'
import { hoursText } from '../../../../kernel/values/text.ts'
import type { Service } from '../../../http/service.ts'
import { actionForm, button } from '../../kit/button.ts'
import { badge, breadcrumbs, planBadge, sectionHead } from '../../kit/components.ts'
import { action, save } from '../../kit/forms/actions.ts'
import { declareForm, type Refused } from '../../kit/forms/declared-form.ts'
import { expectedVersionOf, refusalFlash, refusalOf, versionField, versionValue } from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { allPartners, declareList } from '../kit/list-pages.ts'
import { banForm, grantsTable, keysTable, revokeAction } from './keys.ts'
import { ownSubscriptions } from './payments.ts'

const USERS = '/admin/users'
type User = Static<typeof userSchema>

const partnerOptions = (partners: readonly { id: string; name: string }[]) =>
  partners.map(({ id, name }) => ({ value: id, label: name }))

const USER_FORM = declareForm(changeUser, {
  plan: { label: 'Plan', words: PLAN_LABELS },
  role: { label: 'Role', words: ROLE_LABELS },
  partner: {
    label: 'Works for',
    none: 'No partner',
    hint: 'The dashboard shows them that partner’s submissions and deliveries.',
  },
})

const NEW_KEY_FORM = declareForm(createKey, {
  email: {
    label: 'E-mail address',
    type: 'email',
    hint: 'If there is no user with this address, one is made.',
    id: 'field-new-email',
  },
  name: { label: 'Name of the key', id: 'field-new-name' },
  plan: { label: 'Plan of the key', words: PLAN_LABELS, none: 'As the user', id: 'field-new-plan' },
})

/** The form on a user's page that issues another key. It has no e-mail address, because the page has the user. */
const USER_KEY_FORM = declareForm(createKey, {
  name: { label: 'Name', hint: 'What the key is for.' },
  plan: { label: 'Plan of this key', words: PLAN_LABELS, none: 'As the user', id: 'field-key-plan' },
})

const KEY_FORM_END = html`<p class="hint">Issuing it records that you vouch for the user’s agreement to the acceptable-use policy. The key is shown once.</p>
<div class="row">${button('Issue a key')}</div>
</form>`

const find = (visit: Visit): Promise<User> => visit.perform(getUser, { id: visit.param('id') })
const pathOf = ({ param }: Visit): string => `${USERS}/${encodeURIComponent(param('id'))}`

const showUsers = declareList({
  path: USERS,
  operation: listUsers,
  title: 'Users',
  load: (visit) => allPartners(visit),
  filters: {
    q: { label: 'E-mail address', placeholder: 'Any part of it' },
    plan: { words: PLAN_LABELS },
    role: { words: ROLE_LABELS },
    banned: {},
    partner: { label: 'Works for', options: partnerOptions },
  },
  columns: ({ loaded: partners }) => {
    const names = new Map(partners.map(({ id, name }) => [id, name]))
    return [
      {
        label: 'E-mail',
        rowHeader: true,
        cell: ({ id, email }) => html`<a href="${USERS}/${id}"><bdi>${email}</bdi></a>`,
      },
      { label: 'Plan', onPhones: 'unlabelled', cell: ({ plan }) => planBadge(plan) },
      {
        label: 'Role',
        onPhones: 'unlabelled',
        cell: ({ role, banned }) =>
          (role === 'admin' || banned) &&
          html`<span class="row tight">${role === 'admin' && badge('Administrator', 'accent')}${banned && badge('Banned', 'danger')}</span>`,
      },
      {
        label: 'Works for',
        cell: ({ partnerId }) =>
          partnerId && html`<a href="/admin/partners/${partnerId}"><bdi>${names.get(partnerId) ?? partnerId}</bdi></a>`,
      },
      { label: 'Since', onPhones: 'hidden', cell: ({ createdAt }) => ago(createdAt) },
    ]
  },
  empty: { title: 'No users yet' },
  noneFound: 'No users found',
  below: ({ visit }, refused) => html`<div class="section-head" id="new"><h2>Issue a key</h2></div>
<form class="form" method="post" action="${USERS}">
${visit.token}
${NEW_KEY_FORM.fields(refused?.typed ?? {}, refused?.marked)}
${KEY_FORM_END}`,
})

const newKeySecret = (owner: string, key: string) => ({
  title: 'A new key',
  intro: html`For <strong><bdi>${owner}</bdi></strong>. It works now.`,
  values: [['Key', key]] as const,
})

export const userPages = ({ agentsSignIn }: Service): VisitPages => ({
  [USERS]: {
    GET: (visit) => showUsers(visit),
    POST: save({
      form: NEW_KEY_FORM,
      page: showUsers,
      operation: createKey,
      done: USERS,
      secret: ({ owner, key }) => newKeySecret(owner, key),
    }),
  },
  [`${USERS}/:id`]: { GET: (visit) => showUser(visit), POST: saveUser },
  [`${USERS}/:id/ban`]: {
    POST: action({
      operation: changeUser,
      body: ({ form }) => ({ banned: form.banned === 'true' }),
      back: pathOf,
      text: ({ form }) => (form.banned === 'true' ? 'Banned: every key has stopped.' : 'The ban is lifted.'),
    }),
  },
  [`${USERS}/:id/keys`]: {
    POST: action({
      find,
      operation: createKey,
      parameters: () => ({}),
      body: ({ form }, { email }) => ({ email, ...USER_KEY_FORM.body(USER_KEY_FORM.typed(form)) }),
      back: pathOf,
      secret: ({ owner, key }) => newKeySecret(owner, key),
    }),
  },
  [`${USERS}/:id/keys/:key/rotate`]: {
    POST: action({
      find,
      operation: rotateKey,
      parameters: ({ param }) => ({ id: param('key') }),
      body: () => ({}),
      back: pathOf,
      secret: ({ key }, { email }) => newKeySecret(email, key),
    }),
  },
  [`${USERS}/:id/keys/:key/revoke`]: {
    POST: revokeAction(pathOf),
  },
  ...(agentsSignIn && {
    [`${USERS}/:id/grants/:grant/withdraw`]: {
      POST: action({
        operation: withdrawGrant,
        parameters: ({ param }) => ({ id: param('grant') }),
        back: pathOf,
        text: 'Access is withdrawn.',
      }),
    },
  }),
  [`${USERS}/:id/link`]: {
    POST: action({
      find,
      operation: createUserLink,
      back: pathOf,
      secret: ({ url }, { email }) => ({
        title: 'A sign-in link',
        intro: html`For <strong><bdi>${email}</bdi></strong>. It works once, for ${hoursText(LINK_HOURS)}. Hand it over in private.`,
        values: [['Sign-in link', url]],
      }),
    }),
  },
})

const storedIn = ({ grantedPlan, role, partnerId }: User) => ({ plan: grantedPlan, role, partner: partnerId })

async function saveUser(visit: Visit): Promise<FastifyReply> {
  const before = await find(visit)
  const typed = USER_FORM.typed(visit.form)
  const stored = USER_FORM.of(storedIn(before))
  // Only the changed fields are sent, because sending the plan again would reset keys that have a plan of their own.
  const sent = (['plan', 'role', 'partner'] as const).filter(
    (name) => typed[name] !== undefined && typed[name] !== stored[name],
  )
  const body = Object.fromEntries(sent.map((name) => [name, typed[name] || null]))
  try {
    if (sent.length > 0) await visit.perform(changeUser, { id: before.id, ...expectedVersionOf(visit) }, body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return showUser(visit, { typed, ...refusalOf(error, USER_FORM.labels), status: error.status })
  }
  return visit.redirect(pathOf(visit), { kind: 'good', text: sent.length === 0 ? 'Nothing changed.' : 'Saved.' })
}

async function showUser(visit: Visit, refused?: Refused): Promise<FastifyReply> {
  const user = await find(visit)
  const ofUser = { user: user.id, limit: 1000 }
  const { service, token, values } = visit
  const keys = await visit.perform(listKeys, ofUser)
  const grants = service.agentsSignIn ? await visit.perform(listGrants, ofUser) : null
  const subscriptions = service.takesPayments ? await visit.perform(listSubscriptions, ofUser) : null
  const path = `${USERS}/${user.id}`
  // Administrators cannot ban themselves or take away their own rights.
  const isSelf = visit.user.id === user.id
  const page = {
    title: user.email,
    flash: refusalFlash(refused),
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Users', href: USERS }, { label: user.email }])}
<h1><bdi>${user.email.split('@').map((part, i) => html`${i > 0 && html`<wbr>@`}${part}`)}</bdi></h1>
<p class="row tight">${planBadge(user.plan)}${user.role === 'admin' && badge('Administrator', 'accent')}${user.banned && badge('Banned', 'danger')}${isSelf && badge('You')}</p>
<p class="note">Joined ${ago(user.createdAt)} · <a href="${addressWith('/admin/audit', { actor: user.email })}">what they did</a> · <a href="${addressWith('/admin/audit', { subject: `user:${user.id}` })}">what was done to them</a></p>
<form class="form" method="post" action="${path}">
${token}${versionField(user)}
${userFields(user, partnerOptions(await allPartners(visit, { builtIn: false })), isSelf, refused)}
<div class="row">${button('Save')}</div>
</form>
${sectionHead('Keys')}
${keysTable(keys, path, values)}
${
  user.banned
    ? html`<p>A banned user gets no new key.</p>`
    : html`<details><summary>Issue a key</summary><form class="form" method="post" action="${path}/keys" data-once>
${token}
${USER_KEY_FORM.fields({ plan: '' })}
${KEY_FORM_END}</details>`
}
${
  grants &&
  html`${sectionHead('Apps')}
${grantsTable(grants, path, values)}`
}
${subscriptions && ownSubscriptions(subscriptions, path, values)}
${sectionHead('Sign-in link')}
<p>With it the user sets a password and is signed in. It works once, for ${hoursText(LINK_HOURS)}, and takes the place of earlier ones. Its holder can sign in as that user: hand it over in private.</p>
${user.banned ? html`<p>A banned user gets no link.</p>` : actionForm({ action: `${path}/link`, label: 'Make a sign-in link', kind: 'plain', values, once: true })}
${sectionHead('Ban')}
${
  isSelf
    ? html`<p>You cannot ban yourself.</p>`
    : banForm({
        path,
        banned: user.banned,
        who: user.email,
        consequences: 'All keys and apps stop at once, the user is signed out everywhere and gets no new key.',
        values: { ...values, ...versionValue(user) },
      })
}
</div>`,
  }
  return visit.send(page, refused?.status)
}

function userFields(
  user: User,
  options: readonly { value: string; label: string }[],
  isSelf: boolean,
  refused?: Refused,
): Markup {
  const stored = storedIn(user)
  const typed = { ...USER_FORM.of(stored), ...refused?.typed }
  return html`${refused && USER_FORM.storedBeside(refused.typed, stored, { partner: { options } })}
${USER_FORM.fields(typed, refused?.marked, {
  plan: {
    hint:
      user.paidPlan === 'premium'
        ? 'What you grant. The user pays for Premium and keeps it either way.'
        : 'Holds for all keys of the user.',
  },
  role: {
    disabled: isSelf,
    hint: isSelf
      ? 'You cannot take your own rights away; another administrator can.'
      : 'Administrators may do everything in this console.',
  },
  partner: { options },
})}`
}
