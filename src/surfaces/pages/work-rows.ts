// What a founder has to do or waits for, as the rows of a list, and how far the directories of ordered work are.
import type { Static } from 'typebox'
import type { Actor } from '../../features/submissions/queue/waiting.rules.ts'
import type { linkedRowSchema } from '../../features/submissions/schema.ts'
import { outsideLink, webAddress } from './addresses.ts'
import { linkButton } from './kit/button.ts'
import { badge, type Tone, tile } from './kit/components.ts'
import { html, type Markup, oneLine } from './kit/markup.ts'
import { date, number } from './kit/values.ts'
import { LINK_WORDS } from './states.ts'

type Row = Static<typeof linkedRowSchema>
type Stage = Actor | 'entered' | 'nofollow' | 'live' | 'refused'

/** In the order of lists: what the founder has to do comes first. */
const STAGES: Record<Stage, [word: string, tone: Tone]> = {
  founder: ['Waiting for you', 'marker'],
  directory: ['Waiting for the directory', 'info'],
  us: ['Waiting for us', 'plain'],
  entered: ['Entered', 'good'],
  nofollow: LINK_WORDS.nofollow,
  live: LINK_WORDS.live,
  refused: ['Not taken', 'plain'],
}
const ORDER = Object.keys(STAGES) as Stage[]

export function stageOf({ waitingFor, reason, link, isSubmitted }: Row): Stage {
  if (waitingFor) return waitingFor
  if (reason === 'rejected') return 'refused'
  if (link?.state === 'live' || link?.state === 'nofollow') return link.state
  return isSubmitted ? 'entered' : 'us'
}

export const stageBadge = (row: Row): Markup => badge(...STAGES[stageOf(row)])

/** Says that the work is finished, also with fewer directories than promised. */
export const finishedBadge = (entered: number, promised: number): Markup =>
  badge(entered < promised ? `Finished with ${entered} of ${promised}` : 'Done', 'good')

/** How many of the promised directories are entered, as a figure and a bar of what each of them waits for. */
export function workProgress(rows: readonly Row[], entered: number, promised: number): Markup {
  const counts = ORDER.map((stage) => [stage, rows.filter((row) => stageOf(row) === stage).length] as const)
    .filter(([, count]) => count > 0)
    .toReversed()
    .toSorted(([a], [b]) => Number(a === 'refused') - Number(b === 'refused'))
  const most = Math.max(promised, rows.length, 1)
  const parts = counts.map(([stage, count], at) => {
    const before = counts.slice(0, at).reduce((sum, [, each]) => sum + each, 0)
    return html`<rect class="${stage}" x="${before}" width="${count}" height="1"></rect>`
  })
  const words = counts.map(([stage, count]) => `${STAGES[stage][0]}: ${number(count)}`).join(', ')
  return html`<div class="how-far"><p><strong>${number(entered)} of ${number(promised)}</strong> directories entered${rows.length !== entered && html`, <span class="note">${number(rows.length)} begun</span>`}</p>
<svg viewBox="0 0 ${most} 1" preserveAspectRatio="none" role="img" aria-label="${words || 'None is begun.'}">${parts}</svg>
${counts.length > 0 && html`<ul class="legend">${counts.map(([stage, count]) => html`<li><span class="${stage}"></span>${STAGES[stage][0]} <b>${number(count)}</b></li>\n`)}</ul>`}</div>`
}

const sentenceOf = (row: Row, stage: Stage): Markup | string => {
  if (row.action) return row.action
  if (stage === 'us') return row.isSubmitted ? 'We look after the listing.' : 'We enter it next.'
  if (stage === 'live' || stage === 'nofollow')
    return html`${stage === 'nofollow' ? 'The link asks search engines not to count it' : 'The link to your product is there'}${row.link?.checkedAt && html`, seen ${date(row.link.checkedAt)}`}.`
  return row.submittedAt ? html`Entered ${date(row.submittedAt)}.` : ''
}

/** The directories on record in the order of `STAGES`. `questions`: the address of the page on which the founder can tell us something. */
export const workTasks = (rows: readonly Row[], questions?: string): Task[] =>
  rows
    .map((row) => [row, stageOf(row)] as const)
    .toSorted(([, a], [, b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
    .map(([row, stage]) => ({
      ...{ name: row.name, mark: tile(row.name, null), isWaitedFor: stage === 'founder' },
      state: badge(...STAGES[stage]),
      text: html`${sentenceOf(row, stage)}${outside(row.listingUrl, 'Open the listing')}${outside(row.proofUrl, 'See the proof')}`,
      actions: stage === 'founder' && founderActions(row, questions),
    }))

const founderActions = ({ name, url }: Row, questions?: string): Markup => {
  const address = webAddress(url)
  return html`${address && linkButton(address, html`<span>Open <bdi>${oneLine(name, 40)}</bdi></span>`, { kind: 'plain', slim: true, rel: 'nofollow noopener noreferrer' })}${questions && linkButton(questions, 'Tell us', { kind: 'plain', slim: true })}`
}

const outside = (url: string | null, label: string): Markup | null => {
  const link = outsideLink(url, label)
  return link && html` ${link}`
}

/** Something to do or to wait for, with its next step. */
export interface Task {
  mark: Markup
  name: string
  state: Markup | false
  text: Markup | string
  next?: string
  href?: string
  /** Further buttons. */
  actions?: Markup | false
  /** Whether the founder is waited for. */
  isWaitedFor: boolean
}

/** What waits for the founder comes first. */
export const taskRows = (tasks: readonly Task[], most?: number): Markup =>
  html`<ul class="panel minis tasks">
${tasks
  .toSorted((a, b) => Number(b.isWaitedFor) - Number(a.isWaitedFor))
  .slice(0, most)
  .map(
    ({ mark, name, state, text, next, href, actions, isWaitedFor }, at) =>
      html`<li class="mini${isWaitedFor && ' waited'}">${mark}<div><h3><bdi>${oneLine(name, 120)}</bdi> ${state}</h3><p dir="auto">${text}</p></div><div class="end">${next && href && linkButton(href, html`${next}<span class="visually-hidden">: ${oneLine(name, 60)}</span>`, { kind: isWaitedFor && at === 0 ? 'main' : 'plain', slim: true })}${actions}</div></li>\n`,
  )}</ul>`
