// Text to copy. The script shows the copy button; without the script visitors can still select the text.
import { html, type Markup } from './markup.ts'

/** A block with a title, such as a command. */
export const codeBlock = (title: string, code: string): Markup =>
  html`<figure class="code" data-copied><figcaption class="label">${title}${copyButton(`Copy: ${title}`)}</figcaption><section aria-label="${title}" tabindex="0"><pre><code>${code}</code></pre></section></figure>`

/** A value in a line, such as a key or a discount code. */
export const copyableValue = (value: string, what = 'Copy'): Markup =>
  html`<span class="copyable" data-copied><code>${value}</code>${copyButton(what)}</span>`

/** A row of a `dl` that administrators copy often. The note is shown beside the label, the picture above the value. */
export const copyableFact = (
  label: string,
  value: string,
  { note, picture }: { note?: Markup | string | null; picture?: Markup | null } = {},
): Markup =>
  html`<div data-copied><dt><bdi>${label}</bdi>${note && html` <span class="note">${note}</span>`}${copyButton(`Copy: ${label}`)}</dt><dd>${picture}<bdi class="text" data-source>${value}</bdi></dd></div>`

const copyButton = (what: string): Markup =>
  html`<button type="button" class="copy" data-copy hidden>Copy<span class="visually-hidden">${what.replace(/^Copy/, '')}</span></button>`
