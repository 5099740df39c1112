// How many people found, viewed and opened a listing, and the questions that led to it, for its owner and for administrators.
import type { ToolNumbers } from '../../../../features/founders/owned/schema.ts'
import { linkButton } from '../../kit/button.ts'
import { emptyState, summaryFigures } from '../../kit/components.ts'
import { barChart } from '../../kit/lists/chart.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { number, plainDay, shortDay } from '../../kit/values.ts'

type Counted = keyof ToolNumbers['before']

const COUNTED: readonly (readonly [of: Counted, title: string, tone?: 'info' | 'notice'])[] = [
  ['appearances', 'Appearances in searches', 'info'],
  ['views', 'Views of the page'],
  ['opens', 'Opens of the website', 'notice'],
]

export function numbersSection(
  { days, before }: ToolNumbers,
  { csv, more = [] }: { csv?: string; more?: Parameters<typeof summaryFigures>[0] } = {},
): Markup {
  const sumOf = (of: Counted) => days.reduce((sum, day) => sum + day[of], 0)
  const figures = COUNTED.map(
    ([of, title]) =>
      [
        html`${title} <span class="note">${trend(sumOf(of), before[of], days.length)}</span>`,
        number(sumOf(of)),
      ] as const,
  )
  return html`${summaryFigures([...figures, ...more])}
<section class="card"><div class="card-head"><h2>Found, viewed, opened</h2>${csv && linkButton(csv, 'Download as CSV', { kind: 'plain', slim: true })}</div>
<p class="small quiet">The last ${days.length} days, by day in UTC. Each person counts once a day; programs do not count. No visitor is stored.</p>
${
  COUNTED.every(([of]) => sumOf(of) + before[of] === 0)
    ? emptyState({
        title: `No one has seen it in ${2 * days.length} days`,
        text: 'The next person who finds, views or opens it is in the chart. A listing that is new takes days to be found.',
      })
    : COUNTED.map(
        ([of, title, tone], at) =>
          html`<h3>${title}</h3>\n${sumOf(of) === 0 ? html`<p class="small quiet">None in these ${days.length} days.</p>` : dayChart(of, { title, tone, hasDays: at === COUNTED.length - 1 || sumOf('opens') === 0 }, days)}\n`,
      )
}
<details><summary>The same as a table</summary>${table({
    caption: 'Numbers by day',
    keepsColumns: true,
    rows: days.toReversed(),
    columns: [
      { label: 'Day', cell: ({ day }) => plainDay(day), rowHeader: true },
      ...COUNTED.map(([of, label]) => ({
        label,
        kind: 'number' as const,
        cell: (day: ToolNumbers['days'][number]) => number(day[of]),
      })),
    ],
  })}</details></section>`
}

/** `hasDays`: whether the chart names its days. Only the last chart does, because the days of all charts are the same. */
const dayChart = (
  of: Counted,
  { title, ...look }: { title: string; tone?: 'info' | 'notice'; hasDays: boolean },
  days: ToolNumbers['days'],
): Markup =>
  barChart({
    title: `${title} a day`,
    low: true,
    ...look,
    bars: days.map((day, i) => ({
      label: i === days.length - 1 ? 'Today' : shortDay(day.day),
      value: day[of],
      text: `${shortDay(day.day)}: ${number(day[of])}`,
    })),
  })

function trend(now: number, before: number, days: number): Markup | string {
  if (before === 0) return `none in the ${days} days before`
  const percent = Math.round((100 * (now - before)) / before)
  if (percent === 0) return `as many as in the ${days} days before`
  return html`<b${percent > 0 && html` class="up"`}>${percent > 0 ? '+' : ''}${number(percent)}%</b> vs ${days} days before`
}

export const questionsSection = ({ questions }: ToolNumbers): Markup =>
  html`<section class="card calls"><div class="card-head"><h2>Questions that led here</h2></div>
${table({
  caption: 'Questions that led here',
  rows: questions,
  columns: [
    { label: 'Words of the question', rowHeader: true, cell: ({ words }) => html`<bdi>${words}</bdi>` },
    { label: 'People', kind: 'number', cell: ({ callers }) => number(callers) },
  ],
  empty: emptyState({
    title: 'None yet',
    text: 'A question is shown once five people have opened the listing after it.',
  }),
})}</section>`
