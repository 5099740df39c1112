import { breadcrumbs, tabs } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { html, type Markup } from '../kit/markup.ts'
import { formSamples } from './form-samples.ts'
import { listSamples } from './list-samples.ts'
import { textSamples } from './text-samples.ts'

export const STYLEGUIDE = '/styleguide'

/** The name of a component and what it looks like in each of its states. */
export type Samples = Readonly<Record<string, readonly Markup[]>>

const GROUPS: Readonly<Record<string, Samples>> = { Texts: textSamples, Forms: formSamples, Lists: listSamples }

/** '': the colour scheme that the browser prefers. */
const SCHEMES = { '': 'As the browser', light: 'Light', dark: 'Dark' } as const

const isScheme = (text: string): text is keyof typeof SCHEMES => Object.hasOwn(SCHEMES, text)

/** The two schemes have addresses of their own, so that they can be compared in two windows. */
export function styleguidePage(scheme: string): Page {
  const chosen = isScheme(scheme) ? scheme : ''
  return {
    title: 'Styleguide',
    description: 'Every component of pages in every state.',
    path: STYLEGUIDE,
    flash: [
      { kind: 'info', text: 'A message for information.' },
      { kind: 'good', text: 'A message after something was done.' },
      { kind: 'notice', text: 'A message about something to look at.' },
      { kind: 'danger', text: 'A message that something failed. It stays.', isPermanent: true },
    ],
    body: html`<div class="${chosen ? `flow scheme-${chosen}` : 'flow'}">
${breadcrumbs([{ label: 'Home', href: '/' }, { label: 'Styleguide' }])}
<h1>Styleguide</h1>
<p class="lead">Every component of pages in every state.</p>
${tabs(
  'Colour scheme',
  Object.entries(SCHEMES).map(([name, label]) => ({
    href: name ? `${STYLEGUIDE}?scheme=${name}` : STYLEGUIDE,
    label,
    isCurrent: name === chosen,
  })),
)}
${Object.entries(GROUPS).map(([group, samples]) => html`<section class="flow"><h2>${group}</h2>${Object.entries(samples).map(([name, states]) => html`<section class="sample flow" aria-label="${name}"><p class="label">${name}</p>${states}</section>`)}</section>`)}
</div>`,
  }
}
