// Whether a website shows the badge of this service.

import type { CheerioAPI } from 'cheerio'
import { BADGES_PATH } from '../../../kernel/addresses/own-addresses.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { type Finding, saysNothing } from '../rules.ts'

/**
 * Whether the website shows the badge with this address. A look that could not read the website (blocked, unreachable) keeps the earlier
 * answer, which is false before the first look.
 */
export const showsBadgeAfter = (
  prior: { showsBadge: boolean; checkedAt: Date | null },
  { finding, badges = [] }: { finding: Finding; badges?: readonly string[] },
  address: string,
): boolean => {
  if (saysNothing(finding)) return prior.showsBadge && prior.checkedAt !== null
  return finding === 'alive' && badges.includes(address)
}

const MOST_BADGES = 20

/** Addresses of pictures on a page that may be badges, without their queries. */
export const findBadges = ($: CheerioAPI, url: string): string[] =>
  $(`img[src*="${BADGES_PATH}"]`)
    .toArray()
    .slice(0, MOST_BADGES)
    .flatMap(({ attribs }) => {
      const address = parseUrl((attribs.src ?? '').slice(0, 2000), url)
      return address ? address.origin + address.pathname : []
    })
