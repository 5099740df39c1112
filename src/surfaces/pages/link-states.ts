// The states of the link on a listing, in words for readers who know little about links.
import type { LinkState } from '../../features/submissions/bench/link.rules.ts'
import { badge, type Tone } from './kit/components.ts'
import { html, type Markup } from './kit/markup.ts'
import { day } from './kit/values.ts'

export const LINK_WORDS: Record<LinkState, [word: string, tone: Tone]> = {
  live: ['Live', 'good'],
  nofollow: ['Live, nofollow', 'good'],
  missing: ['Link missing', 'danger'],
  gone: ['Page gone', 'danger'],
  blocked: ['Blocked', 'notice'],
  unreachable: ['Unreachable', 'notice'],
  unknown: ['Unclear', 'plain'],
  unchecked: ['Not checked', 'plain'],
}

export interface ShownLink {
  state: LinkState
  checkedAt: string | Date | null
}

/** The state and the day of the last check; null for a directory without a listing. */
export const linkState = (link: ShownLink | null): Markup | null =>
  link &&
  html`${badge(...LINK_WORDS[link.state])}${link.checkedAt && html` <span class="note">${day(link.checkedAt)}</span>`}`
