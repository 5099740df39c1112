// What a look for pictures and texts of a listing has brought, in words: what went well in one line, the rest in a line for each reason.
import type { PartOutcome } from '../../../features/enrichment/rules.ts'
import type { PART_OUTCOMES } from '../../../features/pictures/rules.ts'
import { badge, type Tone } from '../kit/components.ts'
import { html, type Markup } from '../kit/markup.ts'
import { fieldLabel } from '../kit/values.ts'

type Outcome = PartOutcome | (typeof PART_OUTCOMES)[number]

interface Part {
  part: string
  outcome: Outcome
  note: string
}

/** In a list of one kind of outcome: Copied: logo, main picture. */
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

/** A part such as screenshots.2 is the second screenshot. */
const nameOf = (part: string): string => {
  const [kind = '', place] = part.split('.')
  return place === undefined ? (PARTS[kind] ?? fieldLabel(kind).toLowerCase()) : `screenshot ${Number(place) + 1}`
}

export function outcomeList(parts: readonly Part[]): Markup | null {
  if (parts.length === 0) return null
  const names = (some: readonly Part[]) => some.map(({ part }) => nameOf(part)).join(', ')
  const [good = [], others = []] = [true, false].map((isGood) =>
    parts.filter(({ outcome, note }) => (note === '' && WORDS[outcome][1] === 'good') === isGood),
  )
  const went = [...Map.groupBy(good, ({ outcome }) => outcome)]
  const alike = [...Map.groupBy(others, ({ outcome, note }) => `${outcome} ${note}`).values()]
  return html`<ul class="outcomes in-row">${went.length > 0 && html`<li class="small">${went.map(([outcome, some]) => `${WORDS[outcome][0]}: ${names(some)}`).join(' · ')}</li>\n`}${alike.map(
    (some) =>
      some[0] &&
      html`<li class="small">${badge(...WORDS[some[0].outcome])} ${names(some)}${some[0].note && html`: <bdi class="quiet">${some[0].note}</bdi>`}</li>\n`,
  )}</ul>`
}
