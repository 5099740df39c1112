// The pages for visitors who are not signed in: sign in, sign up, ask for a link, set a password with a link.
import { MAIL_LINK_HOURS, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../features/accounts/rules.ts'
import { NEW_ORDER_PAGE } from '../../../features/billing/orders/start.ts'
import { websiteIn } from '../../../features/founders/products/rules.ts'
import type { LinkKind } from '../../../features/mail/schema.ts'
import type { UserAccess } from '../../../features/people/mailed-links.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { hoursText } from '../../../kernel/values/text.ts'
import { NEW_PRODUCT, SUBMIT } from '../addresses.ts'
import { submitSteps } from '../founders/product-pages.ts'
import { button, linkButton } from '../kit/button.ts'
import type { Flash } from '../kit/components.ts'
import { choice, field, hiddenField } from '../kit/forms/field.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import type { Page } from '../kit/sending/document.ts'

export interface AccountForm {
  /** The address to which the user goes after signing in. */
  next: string
  email?: string
  /** Why the form was refused. */
  problem?: string
  /** Whether users can sign in with GitHub. */
  github: boolean
  /** Whether the service sends mails; otherwise the operator hands out links. */
  sendsMail: boolean
}

const emailField = (value = ''): Markup =>
  field({ name: 'email', label: 'E-mail address', type: 'email', value, required: true, autocomplete: 'username' })

const newPassword = (label = 'Password'): Markup =>
  field({
    name: 'password',
    label,
    type: 'password',
    required: true,
    autocomplete: 'new-password',
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. A few words in a row are easy to remember and hard to guess.`,
  })

const problemFlash = (problem: string | undefined): Flash[] =>
  problem ? [{ kind: 'danger', text: problem, isPermanent: true }] : []

/** This is a form and not a link, because its request starts a sign-in and sets cookies. */
const githubForm = ({ github, next }: AccountForm): Markup | false =>
  github &&
  html`<form class="form" method="post" action="/sign-in/github">${hiddenField('next', next)}<div class="row">${button('Continue with GitHub', { kind: 'plain' })}</div></form>`

const withNext = (path: string, next: string): string => `${path}?next=${encodeURIComponent(next)}`

/**
 * What the visitor has begun and goes on with after signing in, read from the address `next`; undefined if the page says nothing about it.
 * `website`: the site of the product that will be read then.
 */
function waitingIn(next: string): { text: Markup | string; website?: string } | undefined {
  const { pathname = '', searchParams } = parseUrl(next, 'http://nowhere.invalid') ?? {}
  const website = pathname === NEW_PRODUCT ? websiteIn(searchParams?.get('website')?.slice(0, 2000) ?? '') : ''
  const host = parseUrl(website)?.hostname
  if (host)
    return {
      website,
      text: html`Then we read <strong><bdi>${oneLine(host, 60)}</bdi></strong> and fill in your listing.`,
    }
  if (pathname.startsWith(`${SUBMIT}/`)) return { text: 'Then you go on with your product.' }
  const [, slug] = /^\/tools\/([a-z0-9-]{1,100})\/claim$/.exec(pathname) ?? []
  if (slug) return { text: html`Then you claim the listing <strong>${slug}</strong>.` }
  return pathname === NEW_ORDER_PAGE ? { text: 'Then you go on with your order.' } : undefined
}

/** Whether the page shows the steps of sending a product, which need the stylesheet of the signed-in areas. */
const showsSteps = ({ next }: AccountForm): boolean => waitingIn(next)?.website !== undefined

/** The heading of a form, and below it what the visitor goes on with, or else the text `usual`. */
const entranceHead = (title: string, { next }: AccountForm, usual?: string): Markup => {
  const waiting = waitingIn(next)
  return html`${waiting?.website && submitSteps('Address', waiting.website)}<h1>${title}</h1>
${(waiting ?? usual) && html`<p class="lead">${waiting ? waiting.text : usual}</p>`}`
}

export const signInPage = (given: AccountForm): Page => ({
  title: 'Sign in',
  description: 'Sign in to make keys and see how they are used.',
  showsAreas: showsSteps(given),
  flash: problemFlash(given.problem),
  body: html`<div class="flow prose entrance">
${entranceHead('Sign in', given)}
<form class="form" method="post" action="/sign-in">
${hiddenField('next', given.next)}
${emailField(given.email)}
${field({ name: 'password', label: 'Password', type: 'password', required: true, autocomplete: 'current-password', maxLength: MAX_PASSWORD_LENGTH })}
<div class="row">${button('Sign in')}</div>
</form>
${githubForm(given)}
<p>No account yet? <a href="${withNext('/sign-up', given.next)}">Sign up</a>; it takes an e-mail address and a password.</p>
${
  given.sendsMail
    ? html`<p>Forgotten the password? <a href="${withNext('/forgot', given.next)}">Set a new one</a>.</p>`
    : html`<p class="quiet small">Forgotten the password? This service sends no mail: ask its operator for a sign-in link.</p>`
}
</div>`,
})

export const signUpPage = (given: AccountForm): Page => ({
  title: 'Sign up',
  description: 'Create an account, then a key for the REST API and MCP.',
  showsAreas: showsSteps(given),
  flash: problemFlash(given.problem),
  body: html`<div class="flow prose entrance">
${entranceHead('Sign up', given, 'With an account you make API keys and see how they are used.')}
<form class="form" method="post" action="/sign-up">
${hiddenField('next', given.next)}
${emailField(given.email)}
${
  given.sendsMail
    ? html`<p class="quiet">We send you a link. You choose a password when you open it.</p>
<div class="row">${button('Send the link')}</div>`
    : html`${newPassword()}
<div class="row">${button('Make the account')}</div>`
}
</form>
${githubForm(given)}
<p>Have an account? <a href="${withNext('/sign-in', given.next)}">Sign in</a>.</p>
</div>`,
})

export const forgotPage = (given: AccountForm): Page => ({
  title: 'Set a new password',
  description: 'Get a link with which you set a new password.',
  flash: problemFlash(given.problem),
  body: html`<div class="flow prose">
<h1>Set a new password</h1>
<p class="lead">We send a link to the address of your account. It works once, for ${hoursText(MAIL_LINK_HOURS)}.</p>
<form class="form" method="post" action="/forgot">
${hiddenField('next', given.next)}
${emailField(given.email)}
<div class="row">${button('Send the link')}</div>
</form>
<p>Remembered it? <a href="${withNext('/sign-in', given.next)}">Sign in</a>.</p>
</div>`,
})

/** The page is the same whether the address has an account or not, so that it does not reveal which. */
export const mailSentPage = (kind: LinkKind, email: string): Page => ({
  title: 'Look into your mail',
  description: 'A link is on its way.',
  body: html`<div class="flow prose">
<h1>Look into your mail</h1>
<p class="lead">${kind === 'sign-up' ? 'A mail' : 'If there is an account, a mail'} for <strong><bdi>${email}</bdi></strong> is on its way. Its link works once, for ${hoursText(MAIL_LINK_HOURS)}.</p>
<p>Nothing there after a few minutes? Look into the folder for unwanted mail, and check the address.</p>
<p>Only a few mails an hour and a day are sent to one address, no matter who asks for them. They may be used up for today: then try again tomorrow, or ask the operator of this service for a link.</p>
<div class="row">${linkButton(kind === 'sign-up' ? '/sign-up' : '/forgot', 'Try another address', { kind: 'plain' })}</div>
</div>`,
})

const accessText = ({ keys, programs }: UserAccess): string =>
  [
    keys > 0 && `${keys} API ${keys === 1 ? 'key' : 'keys'}`,
    programs > 0 && `${programs} ${programs === 1 ? 'program' : 'programs'}`,
  ]
    .filter(Boolean)
    .join(' and ')

/** Shown after a link has confirmed an address and ended the keys and programs that the account had before. */
export const endedText = (ended: UserAccess): string =>
  `Your address is confirmed. What was made with this account before has ended: ${accessText(ended)}. Make new keys here.`

/** `email` is null for the link of the first administrator, who chooses an address here. */
export const linkPage = (
  token: string,
  { email, unconfirmed }: { email: string | null; unconfirmed: UserAccess | null },
  given: { next?: string; typedEmail?: string; problem?: string },
): Page => ({
  title: email === null ? 'First administrator' : 'Set a password',
  description: 'A link that works once.',
  flash: problemFlash(given.problem),
  body: html`<div class="flow prose entrance">
<h1>${email === null ? 'Become the administrator' : 'Set a password'}</h1>
<p class="lead">${
    email === null
      ? 'This service has no administrator yet. The first person who fills in this form becomes one.'
      : html`For <strong>${email}</strong>. You are signed in afterwards, and everywhere else you are signed out.`
  }</p>
<form class="form" method="post" action="/link">
${hiddenField('link', token)}
${given.next && hiddenField('next', given.next)}
${
  email === null
    ? emailField(given.typedEmail)
    : html`<input type="hidden" name="email" value="${email}" autocomplete="username">`
}
${newPassword(email === null ? 'Password' : 'New password')}
${
  unconfirmed &&
  choice({
    name: 'keep',
    label: `Keep what this account has: ${accessText(unconfirmed)}`,
    hint: 'This address was not confirmed until now, so someone else may have made them. Without this they stop working at once.',
  })
}
<div class="row">${button(email === null ? 'Become administrator' : 'Set the password')}</div>
</form>
</div>`,
})

export const unusableLinkPage = (sendsMail: boolean): Page => ({
  title: 'This link does not work',
  description: 'It has been used or has expired.',
  body: html`<div class="flow prose entrance">
<h1>This link does not work</h1>
<p class="lead">It has been used, it is too old, or a newer one took its place.</p>
<p>If you have set your password with it already, sign in. Otherwise ${sendsMail ? 'ask for a new link' : 'ask the operator of this service for a new link'}.</p>
<div class="row">${linkButton('/sign-in', 'Sign in')}${sendsMail && linkButton('/forgot', 'Get a new link', { kind: 'plain' })}</div>
</div>`,
})
