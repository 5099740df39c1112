// Says what became of each part of a listing (logo, screenshots, questions …) when it was read from a website or copied: all successes in
// one line, and a line for each reason why another part did not succeed.
import type { PartOutcome } from '../../../../features/enrichment/rules.ts'
import type { PART_OUTCOMES } from '../../../../features/pictures/rules.ts'
import { badge, type Tone } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { fieldLabel } from '../../kit/values.ts'

type Outcome = PartOutcome | (typeof PART_OUTCOMES)[number]

interface Part {
  part: string
  outcome: Outcome
  note: string
}

/** The word before the names of the parts, such as "Copied: logo, main picture". */
const WORDS: Record<Outcome, [word: string, tone: Tone]> = {
  found: ['Found', 'good'],
  mirrored: ['Copied', 'good'],
  copied: ['Copied', 'good'],
  generated: ['Written by the model', 'good'],
  derived: ['Made from its texts', 'good'],
  missing: ['Not found', 'plain'],
  kept: ['Left as it was', 'notice'],
  replaced: ['Replaced', 'notice'],
  dropped: ['Left out', 'danger'],
  unreachable: ['Unreachable', 'danger'],
}

const PARTS: Record<string, string> = {
  page: 'website',
  site: 'website',
  icon: 'logo',
  frame: 'main picture',
  faqs: 'questions',
}

/** The name of a part: `frame` is the main picture, `screenshots.1` is screenshot 2. */
const nameOf = (part: string): string => {
  const [kind = '', place] = part.split('.')
  return place === undefined ? (PARTS[kind] ?? fieldLabel(kind).toLowerCase()) : `screenshot ${Number(place) + 1}`
}

export function outcomeList(parts: readonly Part[]): Markup | null {
  if (parts.length === 0) return null
  const outcomes = [...Map.groupBy(parts, ({ outcome, note }) => `${outcome} ${note}`).values()].flatMap((some) =>
    some.slice(0, 1).map(({ outcome, note }) => {
      const [word, tone] = WORDS[outcome]
      return { word, tone, note, names: some.map(({ part }) => nameOf(part)).join(', ') }
    }),
  )
  const good = outcomes.filter(({ tone }) => tone === 'good')
  const others = outcomes.filter(({ tone }) => tone !== 'good')
  return html`<ul class="outcomes in-row">${good.length > 0 && html`<li class="small">${good.map(({ word, names, note }, at) => html`${at > 0 && ' · '}${word}: ${names}${note && html` <bdi class="quiet">(${note.replace(/\.$/, '')})</bdi>`}`)}</li>\n`}${others.map(
    ({ word, tone, names, note }) =>
      html`<li class="small">${badge(word, tone)} ${names}${note && html`: <bdi class="quiet">${note}</bdi>`}</li>\n`,
  )}</ul>`
}
