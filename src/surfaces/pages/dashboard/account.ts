// The account page: how the user signs in, the password, deleting the account.
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../features/accounts/rules.ts'
import { PLAN_LABELS } from '../../../features/accounts/schema.ts'
import { button, linkButton } from '../kit/button.ts'
import { sectionHead } from '../kit/components.ts'
import { field } from '../kit/forms/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { time } from '../kit/values.ts'
import type { Account } from './keys.ts'

const currentPassword = (hint?: string): Markup =>
  field({
    name: 'current',
    label: 'Current password',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    maxLength: MAX_PASSWORD_LENGTH,
    hint,
  })

export const accountPage = (account: Account, token: Markup) => ({
  title: 'Account',
  body: html`<div class="flow">
<h1>Account</h1>
<dl class="facts panel">
<div><dt>E-mail</dt><dd>${account.email}</dd></div>
<div><dt>Plan</dt><dd>${PLAN_LABELS[account.plan]}: ${account.limits.rest} REST and ${account.limits.mcp} MCP calls a minute and key</dd></div>
<div><dt>Signs in with</dt><dd>${account.signIn.map((way) => (way === 'github' ? 'GitHub' : 'a password')).join(' or ') || 'links of the operator'}</dd></div>
${account.partner && html`<div><dt>Works for</dt><dd><bdi>${account.partner.name}</bdi></dd></div>`}
<div><dt>Since</dt><dd>${time(account.createdAt)}</dd></div>
</dl>
<section class="panel flow">${sectionHead('Change the password')}
${
  account.signIn.includes('password')
    ? html`<form class="form" method="post" action="/dashboard/account/password">
${token}
${html`<input type="hidden" name="username" value="${account.email}" autocomplete="username">`}
${currentPassword()}
${field({ name: 'next', label: 'New password', type: 'password', required: true, autocomplete: 'new-password', minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH, hint: `At least ${MIN_PASSWORD_LENGTH} characters. You are signed out everywhere else.` })}
<div class="row">${button('Change the password')}</div>
</form>`
    : html`<p>You sign in with GitHub and have no password here. To have one too, ask the operator of this service for a sign-in link.</p>`
}</section>
<section class="panel flow">${sectionHead('Your data')}
<p>Everything that is stored about your account, as a JSON file: keys, calls, apps, payments, and what was done.</p>
<div class="row">${linkButton('/dashboard/account/export', 'Download my data', { kind: 'plain' })}</div></section>
<section class="panel flow danger">${sectionHead('Delete the account')}
<p>All keys and all apps that you have allowed stop at once, and the account can no longer sign in. What was done stays in the operator’s audit log, without your name and address. This cannot be undone.</p>
<div class="row">${linkButton('/dashboard/account/delete', 'Delete the account', { kind: 'danger' })}</div></section>
</div>`,
})

export const deleteAccountPage = (account: Account, liveKeys: number, takesPayments: boolean, token: Markup) => ({
  title: 'Delete the account',
  body: html`<div class="flow prose">
<h1>Delete the account?</h1>
<p class="lead"><strong>${account.email}</strong> can no longer sign in. With the account go ${liveKeys === 1 ? '1 live key' : `${liveKeys} live keys`}, which ${liveKeys === 1 ? 'stops' : 'stop'} at once, all access that you have allowed to apps, and everything counted for them.</p>
${takesPayments && html`<p>A subscription is cancelled at once and nothing more is charged. What was paid is not given back. Work that you have ordered goes on, and you can no longer follow it.</p>\n`}<p>What was done with the account stays in the operator's audit log, without your name and address. It cannot be undone: <a href="/dashboard/account/export">download your data</a> first if you want to keep it.</p>
<form class="form" method="post" action="/dashboard/account/delete">
${token}
${account.signIn.includes('password') ? currentPassword('Confirms that it is you.') : ''}
${field({ name: 'confirm', label: 'Type your e-mail address to delete it for good', type: 'email', required: true, autocomplete: 'off', maxLength: 300 })}
<div class="row">${button('Delete the account', { kind: 'danger' })}${linkButton('/dashboard/account', 'Keep it', { kind: 'plain' })}</div>
</form>
</div>`,
})
