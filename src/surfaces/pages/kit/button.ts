// Links go somewhere, buttons do something: each looks like a button only when it is the thing to do.

import { hiddenField } from './field.ts'
import { html, type Markup } from './markup.ts'

export interface Look {
  kind?: 'main' | 'plain' | 'danger'
  slim?: boolean
}

const look = ({ kind = 'main', slim = false }: Look): string =>
  ['button', kind === 'main' ? '' : kind, slim ? 'slim' : ''].filter(Boolean).join(' ')

export const button = (
  label: Markup | string,
  options: Look & { name?: string; value?: string; disabled?: boolean } = {},
): Markup =>
  html`<button type="submit" class="${look(options)}"${options.name && html` name="${options.name}" value="${options.value ?? ''}"`}${options.disabled && html` disabled`}>${label}</button>`

export const linkButton = (href: string, label: Markup | string, options: Look & { rel?: string } = {}): Markup =>
  html`<a class="${look(options)}" href="${href}"${options.rel && html` rel="${options.rel}"`}>${label}</a>`

export interface Action extends Look {
  action: string
  label: Markup | string
  /** Hidden fields, such as the token that proves the form is ours. */
  values?: Readonly<Record<string, string>>
}

/** One button that changes something. */
export const actionForm = ({ action, label, values = {}, ...options }: Action): Markup =>
  html`<form method="post" action="${action}">${hiddenFields(values)}${button(label, options)}</form>`

/** The same behind a question, which works without a script: the button opens it, and only the second one acts. */
export const confirmedAction = ({
  question,
  confirmLabel,
  ...given
}: Action & { question: Markup | string; confirmLabel: string }): Markup =>
  html`<details class="confirm"><summary class="${look({ kind: 'danger', ...given })}">${given.label}</summary><div><p>${question}</p>${actionForm({ ...given, kind: 'danger', label: confirmLabel })}</div></details>`

export const hiddenFields = (values: Readonly<Record<string, string>>): Markup[] =>
  Object.entries(values).map(([name, value]) => hiddenField(name, value))
