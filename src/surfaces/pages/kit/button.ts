// Buttons, and links that look like buttons. A link opens a page, a button sends a form.
import { hiddenField } from './forms/field.ts'
import { html, type Markup } from './markup.ts'

interface ButtonStyle {
  kind?: 'main' | 'plain' | 'danger'
  slim?: boolean
}

const buttonClass = ({ kind = 'main', slim = false }: ButtonStyle): string =>
  ['button', kind === 'main' ? '' : kind, slim ? 'slim' : ''].filter(Boolean).join(' ')

export const button = (
  label: Markup | string,
  options: ButtonStyle & {
    name?: string
    value?: string
    disabled?: boolean
    /** The form may be sent with this button although required fields are empty. */
    skipsChecks?: boolean
    /** The key on the keyboard with which the script of the console focuses the button. It is shown on the button. */
    key?: string
  } = {},
): Markup =>
  html`<button type="submit" class="${buttonClass(options)}"${options.name && html` name="${options.name}" value="${options.value ?? ''}"`}${options.skipsChecks && html` formnovalidate`}${options.key && html` data-press="${options.key}"`}${options.disabled && html` disabled`}>${label}${options.key && keyHint(options.key)}</button>`

/** Shows the key on the keyboard that belongs to a button or link. It is hidden on touch screens and without the script. */
export const keyHint = (key: string): Markup => html` <kbd class="key" aria-hidden="true">${key}</kbd>`

export const linkButton = (
  href: string,
  label: Markup | string,
  options: ButtonStyle & { rel?: string } = {},
): Markup =>
  html`<a class="${buttonClass(options)}" href="${href}"${options.rel && html` rel="${options.rel}"`}>${label}</a>`

/** The buttons of a long form. They stay in sight while the user scrolls through its fields. */
export const saveBar = (...buttons: readonly Markup[]): Markup => html`<div class="row save-bar">${buttons}</div>`

interface ActionForm extends ButtonStyle {
  action: string
  label: Markup | string
  /** Hidden fields, such as the CSRF token. */
  values?: Readonly<Record<string, string>>
  /** Fields that the user fills in, above the button. */
  fields?: Markup
  /** For an action whose answer is a secret that is shown once: the script blocks a second click, which would make a new secret. */
  once?: boolean
}

/** A form that consists of one button. */
export const actionForm = ({ action, label, values = {}, fields, once, ...options }: ActionForm): Markup =>
  html`<form method="post" action="${action}"${fields && html` class="form"`}${once && html` data-once`}>${hiddenFields(values)}${fields}${button(label, options)}</form>`

/** A small button in a row of a list that sends a form. */
export const rowAction = (action: string, label: Markup | string, values: Readonly<Record<string, string>>): Markup =>
  actionForm({ action, label, kind: 'plain', slim: true, values })

/** Like `actionForm`, with a question first: the button opens the question, and a second button sends the form. It needs no script. */
export const confirmedAction = ({
  question,
  confirmLabel,
  ...given
}: ActionForm & { question: Markup | string; confirmLabel: string }): Markup =>
  html`<details class="confirm"><summary class="${buttonClass({ kind: 'danger', ...given })}">${given.label}</summary><div><p>${question}</p>${actionForm({ ...given, kind: 'danger', label: confirmLabel })}</div></details>`

export const hiddenFields = (values: Readonly<Record<string, string>>): Markup[] =>
  Object.entries(values).map(([name, value]) => hiddenField(name, value))

/**
 * A button that opens a list of the page's keyboard shortcuts. The button works without the script; the switch that turns shortcuts of a
 * single key off is hidden until the script shows it. `text`: the sentence below the list.
 */
export const keyboardHelpOf = (keys: readonly (readonly [key: string, what: string])[], text: string): Markup =>
  html`<button type="button" class="button plain slim" popovertarget="keys">Keyboard${keyHint('?')}</button>
<section id="keys" class="key-help flow" popover aria-labelledby="keys-title">
<div class="section-head"><h2 id="keys-title">Keyboard</h2><button type="button" class="button plain slim" popovertarget="keys" popovertargetaction="hide">Close</button></div>
<dl>${keys.map(([key, what]) => html`<div><dt>${key.split(', ').map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${what}</dd></div>`)}</dl>
<p class="small">${text}</p>
<p class="small" hidden><label><input type="checkbox" data-keys-switch> Single-key shortcuts, in this browser</label></p></section>`
