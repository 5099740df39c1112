// The name of an administrator in a list, with the first letter of the e-mail address.
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit } from './visit.ts'

/** Whether this is the address of the administrator who made the request. */
export const isMe = (email: string | null, visit: Visit): boolean =>
  email?.toLowerCase() === visit.user.email.toLowerCase()

/** By default the name is the part of the address before the @, because columns are narrow. `email` null: not assigned. */
export function administrator(
  email: string | null,
  visit: Visit,
  shown = email?.replace(/@.*/s, '') ?? 'No one',
): Markup {
  const name = isMe(email, visit) ? 'You' : shown
  return html`<span class="${email === null ? 'person none' : 'person'}"${email && html` title="${email}"`}><span aria-hidden="true">${email && name.charAt(0).toUpperCase()}</span><bdi>${name}</bdi></span>`
}
