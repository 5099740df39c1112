// The share button of a page. It opens the address to copy, and links that send it by mail or post it. Nothing is loaded from other sites.
import { copyableValue } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'

/** `title`: the subject or text of the message with the address. */
export function shareMenu(address: string, title: string): Markup {
  const [url, text] = [address, oneLine(title, 120).toWellFormed()].map(encodeURIComponent)
  const targets = [
    ['E-mail', `mailto:?subject=${text}&body=${url}`],
    ['LinkedIn', `https://www.linkedin.com/sharing/share-offsite/?url=${url}`],
    ['X', `https://x.com/intent/post?url=${url}&text=${text}`],
  ] as const
  return html`<details class="share"><summary class="button plain">${icon('link')}Share</summary><div class="panel"><p class="small">${copyableValue(address, 'Copy the address of this page')}</p><ul class="chips">${targets.map(([label, href]) => html`<li><a href="${href}" rel="nofollow noopener">${label}</a></li>`)}</ul></div></details>`
}
