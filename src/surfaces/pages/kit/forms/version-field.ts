// The hidden field with the version of the row that a form shows. Saving an older version is refused, so that a form does not undo a change
// that another user has saved in the meantime.
import type { FastifyRequest } from 'fastify'
import { html, type Markup } from '../markup.ts'
import { hiddenField } from './field.ts'
import { formOf } from './forms.ts'

const FIELD = 'version'

interface Versioned {
  version: number
}

export const versionField = ({ version }: Versioned): Markup => hiddenField(FIELD, String(version))

/** The version as a value for `actionForm` and `confirmedAction`. */
export const versionValue = ({ version }: Versioned): Record<string, string> => ({ [FIELD]: String(version) })

/** The version in the sent form, as the parameter of the operation; {} if the form has none. */
export const expectedVersionOf = (request: FastifyRequest): { ifVersion?: string } => {
  const version = formOf(request)[FIELD]
  return version === undefined ? {} : { ifVersion: version }
}

/** Shown with a form after a 409: the stored value of each field in which the user typed another one. `typed` is undefined if the form did not send the field. */
export const storedValues = (
  fields: readonly (readonly [label: string, typed: string | undefined, stored: string])[],
): Markup => {
  const different = fields.filter(([, typed, stored]) => typed !== undefined && typed.trim() !== stored.trim())
  return html`${
    different.length > 0 &&
    html`<section class="card" aria-label="Stored now"><h2>Stored now</h2><dl class="facts">${different.map(
      ([label, , stored]) =>
        html`<div><dt>${label}</dt><dd class="text" dir="auto">${stored || '(empty)'}</dd></div>\n`,
    )}</dl></section>`
  }`
}
