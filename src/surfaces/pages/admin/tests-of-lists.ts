// The lists of submissions, conversations and deliveries show those of sandboxes only on request.
import { badge } from '../kit/badge.ts'
import { hiddenField } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { addressWith } from '../kit/site-addresses.ts'

export const isTestList = (test: string): boolean => test === 'true'

/** The heading of a list, with the link to the other kind of rows. `filters` stay as they are. */
export const testsHeading = (
  title: string,
  path: string,
  filters: Readonly<Record<string, string>>,
  test: string,
): Markup =>
  html`<div class="row"><h1>${title}</h1>${
    isTestList(test)
      ? html`${testBadge({ test: true })}<a class="clear" href="${addressWith(path, filters)}">Hide tests</a>`
      : html`<a class="clear" href="${addressWith(path, { ...filters, test: 'true' })}">Show tests</a>`
  }</div>`

/** Keeps the choice when the filters are applied. */
export const testField = (test: string): Markup | false => isTestList(test) && hiddenField('test', 'true')

export const testBadge = ({ test }: { test: boolean }): Markup | false => test && badge('Test', 'notice')
