// The picture that other sites show with a link to the home page, and to pages that have none of their own.
import { createHash } from 'node:crypto'
import { accentForText } from '../../features/site/colours.rules.ts'
import type { SiteFields } from '../../features/site/schema.ts'
import type { ShareCard } from '../../kernel/interfaces/picture-store.ts'

export const SITE_CARD = '/share/site.png'

/** What the drawn picture says. */
export const siteCardOf = ({ name, headline, tagline, accentColor, socialCard }: SiteFields): ShareCard => ({
  site: name,
  name: socialCard.title || headline,
  text: socialCard.text || tagline,
  category: '',
  colour: accentForText(accentColor),
  logo: null,
})

export const versionOfCard = (card: object): string =>
  createHash('sha256').update(JSON.stringify(card)).digest('base64url').slice(0, 12)

/** The complete address of the picture: the operator's own, or the drawn one. `from` is any address of this service. */
export const siteCardAddress = (site: SiteFields, from: string): string =>
  site.socialCard.picture ?? new URL(`${SITE_CARD}?v=${versionOfCard(siteCardOf(site))}`, from).href
