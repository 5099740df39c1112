import { html, type Markup } from './markup.ts'
import { number } from './values.ts'

export interface ProgressBar {
  label: string
  value: number
  max: number
  /** Replaces the text "12 of 30". */
  text?: string
}

export function progress({ label, value, max, text = `${number(value)} of ${number(max)}` }: ProgressBar): Markup {
  const most = Math.max(max, 1)
  const reached = Math.min(Math.max(value, 0), most)
  return html`<div class="progress"><div class="row"><span>${label}</span><span class="figure">${text}</span></div><progress value="${reached}" max="${most}" aria-label="${label}">${text}</progress></div>`
}
