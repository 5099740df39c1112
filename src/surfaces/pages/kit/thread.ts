// A conversation, oldest message first.
import { html, type Markup } from './markup.ts'

export interface ThreadMessage {
  id: string
  isCustomer: boolean
  /** The author, in words. */
  who: Markup | string
  when: Markup | null
  content: string
  /** Shown under the message: its sources, and the actions on it. */
  more?: Markup | null
}

export const thread = (messages: readonly ThreadMessage[]): Markup =>
  html`<ol class="thread">${messages.map(
    ({ id, isCustomer, who, when, content, more }) =>
      html`<li id="message-${id}"${isCustomer && html` class="customer"`}><p class="row small"><strong>${who}</strong>${when}</p><p class="text"><bdi>${content}</bdi></p>${more}</li>\n`,
  )}</ol>`
