import { html, type Markup } from '../kit/markup.ts'

/** The keys that a page knows, and the switch that turns shortcuts of a single key off. */
export const keyboardHelpOf = (keys: readonly (readonly [key: string, what: string])[], text: string): Markup =>
  html`<details class="bench-keys" id="keys"><summary class="small">Keyboard</summary>
<p class="small">${text}</p>
<p class="small" hidden><label><input type="checkbox" data-keys-switch> Single-key shortcuts, in this browser</label></p>
<dl class="facts">${keys.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl></details>`
