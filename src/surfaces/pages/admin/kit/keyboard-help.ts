// A button that opens a list of the page's keyboard shortcuts. The button works without the script; the switch that turns shortcuts of a
// single key off is hidden until the script shows it. `text`: the sentence below the list.
import { keyHint } from '../../kit/button.ts'
import { html, type Markup } from '../../kit/markup.ts'

export const keyboardHelpOf = (keys: readonly (readonly [key: string, what: string])[], text: string): Markup =>
  html`<button type="button" class="button plain slim" popovertarget="keys">Keyboard${keyHint('?')}</button>
<section id="keys" class="key-help flow" popover aria-labelledby="keys-title">
<div class="section-head"><h2 id="keys-title">Keyboard</h2><button type="button" class="button plain slim" popovertarget="keys" popovertargetaction="hide">Close</button></div>
<dl>${keys.map(([key, what]) => html`<div><dt>${key.split(', ').map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${what}</dd></div>`)}</dl>
<p class="small">${text}</p>
<p class="small" hidden><label><input type="checkbox" data-keys-switch> Single-key shortcuts, in this browser</label></p></section>`
