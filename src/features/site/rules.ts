// Defaults for omitted fields, and which stored values of the site can be shown.
import { ownPicture, storedPicture } from '../../kernel/addresses/own-addresses.ts'
import { parseWebAddress } from '../../kernel/addresses/web-address.ts'
import { tryReadBody } from '../../kernel/input.ts'
import { type Problem, problem } from '../../kernel/problem.ts'
import { DEFAULT_SITE, type SiteFields, siteFieldsSchema, type TextName } from './schema.ts'

/** A path of this site; not `//`, which leads to another one. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/

/** What the schema cannot check: this service must store the pictures, links must be web addresses, and no section is named twice. */
export function siteProblems(publicUrl: string, site: SiteFields): Problem[] {
  const problems: Problem[] = []
  checkPicture('logo', site.logo)
  for (const name of ['links', 'sellers'] as const)
    for (const [at, { href }] of site[name].entries())
      if (!parseWebAddress(href))
        problems.push(problem(`${name}.${at}.href`, 'must be a complete http or https address.'))
  for (const [at, { href }] of site.navigation.entries())
    if (!OWN_PATH.test(href) && !parseWebAddress(href))
      problems.push(
        problem(
          `navigation.${at}.href`,
          'must be a path of this site, such as /tools, or a complete http or https address.',
        ),
      )
  for (const [at, name] of site.home.entries())
    if (site.home.indexOf(name) !== at) problems.push(problem(`home.${at}`, 'must not be given twice.'))
  checkPicture('socialCard.picture', site.socialCard.picture)
  for (const [at, { logo }] of site.sellers.entries()) checkPicture(`sellers.${at}.logo`, logo)
  return problems

  function checkPicture(field: string, address: string | null): void {
    if (address !== null && !ownPicture(publicUrl, address))
      problems.push(problem(field, 'must be the address of a picture that this service stores, or null.'))
  }
}

type GivenSite = Partial<Omit<SiteFields, 'texts' | 'socialCard'>> & {
  texts?: Partial<SiteFields['texts']>
  socialCard?: Partial<SiteFields['socialCard']>
}

export const withSiteDefaults = (given: GivenSite): SiteFields => ({
  ...DEFAULT_SITE,
  ...given,
  texts: { ...DEFAULT_SITE.texts, ...given.texts },
  socialCard: { ...DEFAULT_SITE.socialCard, ...given.socialCard },
})

/** Pictures that were stored before the service moved to another host get their current address. */
export const withCurrentPictureAddresses = (publicUrl: string, site: SiteFields): SiteFields => {
  const present = <T>(logo: T) => (typeof logo === 'string' ? (storedPicture(publicUrl, logo) ?? logo) : logo)
  // A row that was written to the database directly may have no list here.
  const sellers = Array.isArray(site.sellers)
    ? site.sellers.map((seller) => ({ ...seller, logo: present(seller?.logo) }))
    : site.sellers
  const { socialCard } = site
  return {
    ...site,
    logo: present(site.logo),
    sellers,
    socialCard: { ...socialCard, picture: present(socialCard?.picture) },
  }
}

/**
 * The stored site as it can be shown, and the problems of fields that cannot. A row that was written to the database directly may have
 * such fields; only these get their default.
 */
export function usableSite(publicUrl: string, stored: unknown): { fields: SiteFields; problems: Problem[] } {
  const read = tryReadBody(
    siteFieldsSchema,
    withCurrentPictureAddresses(publicUrl, withSiteDefaults((stored ?? {}) as GivenSite)),
  )
  const schemaProblems = 'problems' in read ? read.problems : []
  const fields = 'problems' in read ? withDefaultsFor(read.cut as SiteFields, schemaProblems) : read.value
  const ruleProblems = siteProblems(publicUrl, fields)
  return { fields: withDefaultsFor(fields, ruleProblems), problems: [...schemaProblems, ...ruleProblems] }
}

/** The site with the defaults of the fields that the problems name. Each text counts as a field. */
function withDefaultsFor(site: SiteFields, problems: readonly Problem[]): SiteFields {
  const kept = { ...site, texts: { ...site.texts } }
  for (const { field } of problems) {
    const [name = '', text = ''] = field.split('.')
    if (name === 'texts' && Object.hasOwn(DEFAULT_SITE.texts, text)) kept.texts[text as TextName] = ''
    else if (Object.hasOwn(DEFAULT_SITE, name))
      Object.assign(kept, structuredClone({ [name]: DEFAULT_SITE[name as keyof SiteFields] }))
    else return DEFAULT_SITE
  }
  return kept
}

/** Whether the page has something to show. An address for visitors is enough for the contact page. */
export const hasPage = (site: Pick<SiteFields, 'texts' | 'contactEmail'>, page: TextName): boolean =>
  site.texts[page].trim() !== '' || (page === 'contact' && site.contactEmail !== '')
