// What a founder has to do or waits for, as the rows of a list.
import { linkButton } from '../kit/button.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'

/** Something to do or to wait for, with its next step. */
export interface Task {
  /** The picture of the row. */
  mark: Markup
  name: string
  state: Markup | false
  text: Markup | string
  /** What to do next, and where. */
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
