// Whether a website shows the badge of this service.
import type { CheerioAPI } from 'cheerio'
import { BADGES_PATH } from '../../kernel/own-addresses.ts'
import { type Finding, saysNothing } from './rules.ts'

/**
 * Whether the website shows the badge with this address. A look that says nothing leaves it as it is, unless it is the first one at this
 * website.
 */
export const showsBadgeAfter = (
  prior: { showsBadge: boolean; checkedAt: Date | null },
  { finding, badges = [] }: { finding: Finding; badges?: readonly string[] },
  address: string,
): boolean =>
  saysNothing(finding) ? prior.showsBadge && prior.checkedAt !== null : finding === 'alive' && badges.includes(address)

const MOST_BADGES = 20

/** Addresses of pictures on a page that may be badges, without their queries. */
export const findBadges = ($: CheerioAPI, url: string): string[] =>
  $(`img[src*="${BADGES_PATH}"]`)
    .toArray()
    .slice(0, MOST_BADGES)
    .flatMap(({ attribs }) => {
      const address = URL.parse((attribs.src ?? '').slice(0, 2000), url)
      return address ? address.origin + address.pathname : []
    })
