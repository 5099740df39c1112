// Text to copy. The button appears when the script runs; without it the text can still be selected.
import { html, type Markup } from '../markup.ts'

/** A block with a title, such as a command. */
export const codeBlock = (title: string, code: string): Markup =>
  html`<figure class="code" data-copied><figcaption class="label">${title}${copyButton(`Copy: ${title}`)}</figcaption><section aria-label="${title}" tabindex="0"><pre><code>${code}</code></pre></section></figure>`

/** A value in a line, such as a key or a discount code. */
export const copyable = (value: string, what = 'Copy'): Markup =>
  html`<span class="copyable" data-copied><code>${value}</code>${copyButton(what)}</span>`

const copyButton = (what: string): Markup =>
  html`<button type="button" class="copy" data-copy hidden>Copy<span class="away">${what.replace(/^Copy/, '')}</span></button>`
