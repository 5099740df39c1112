// The version that a form showed goes into the form and comes back with it, so that saving does not undo what others changed meanwhile.
import type { FastifyRequest } from 'fastify'
import { hiddenField } from '../kit/field.ts'
import { formOf } from '../kit/forms.ts'
import { html, type Markup } from '../kit/markup.ts'

const FIELD = 'version'

interface Versioned {
  version: number
}

export const versionField = ({ version }: Versioned): Markup => hiddenField(FIELD, String(version))

/** The same for forms that are one button. */
export const versionValue = ({ version }: Versioned): Record<string, string> => ({ [FIELD]: String(version) })

/** The parameter of the operation that the form leads to. */
export const guardOf = (request: FastifyRequest): { ifVersion?: string } => {
  const version = formOf(request)[FIELD]
  return version === undefined ? {} : { ifVersion: version }
}

/** Beside a form that came back after a 409: what is stored where something else was typed. */
export const storedNow = (
  fields: readonly (readonly [label: string, typed: string | undefined, stored: string])[],
): Markup => {
  const others = fields.filter(([, typed, stored]) => typed !== undefined && typed.trim() !== stored.trim())
  return html`${
    others.length > 0 &&
    html`<section class="card" aria-label="Stored now"><h2>Stored now</h2><dl class="facts">${others.map(
      ([label, , stored]) =>
        html`<div><dt>${label}</dt><dd class="text" dir="auto">${stored || '(empty)'}</dd></div>\n`,
    )}</dl></section>`
  }`
}
