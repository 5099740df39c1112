// Readable shades of the accent colour, defaults for omitted fields, and which stored values of the site can be shown.
import { tryReadBody } from '../../kernel/input.ts'
import { ownPicture, storedPicture } from '../../kernel/own-addresses.ts'
import { type Problem, problem } from '../../kernel/problem.ts'
import { parseWebAddress } from '../../kernel/web-address.ts'
import { DEFAULT_SITE, type SiteFields, siteFieldsSchema, type TextName } from './schema.ts'

/** The background colours of pages, as in styles/tokens.css. */
const LIGHT_GROUND = '#f5f6f1'
const DARK_GROUND = '#0c1310'
/** The lightest background of dark pages: a colour that can be read on it can be read on all of them. */
const DARK_RAISED = '#1f302a'
/** The contrast that WCAG 2.2 asks of text of any size. */
const MIN_CONTRAST = 4.5

type Colour = readonly [red: number, green: number, blue: number]

const colourOf = (hex: string): Colour => {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}
const hexOf = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other].map((hex) => luminanceOf(colourOf(hex))).toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const mixed = (hex: string, other: string, share: number): string => {
  const [from, to] = [colourOf(hex), colourOf(other)]
  const part = (at: 0 | 1 | 2) => from[at] * (1 - share) + to[at] * share
  return hexOf([part(0), part(1), part(2)])
}

/** The nearest colour towards `end` (black or white) that can be read on the ground. */
function readableOn(hex: string, ground: string, end: string): string {
  for (let share = 0; share < 1; share += 0.01) {
    const candidate = mixed(hex, end, share)
    if (contrastOf(candidate, ground) >= MIN_CONTRAST) return candidate
  }
  return end
}

/**
 * The accent on light and on dark pages, with a stronger and a softer form of each. Every colour has a shade that can be read on each of
 * them, so none is refused.
 */
export function accentColours(hex: string) {
  const accent = hex.toLowerCase()
  const light = readableOn(accent, LIGHT_GROUND, '#000000')
  const dark = readableOn(accent, DARK_RAISED, '#ffffff')
  return {
    brand: [light, dark],
    strong: [mixed(light, '#000000', 0.28), mixed(dark, '#ffffff', 0.4)],
    soft: [mixed(light, '#ffffff', 0.86), mixed(dark, DARK_GROUND, 0.8)],
    on: ['#ffffff', DARK_GROUND],
  } as const
}

/** The accent for mails and share images, which have no dark mode; white text can be read on it. */
export const accentForText = (hex: string): string => accentColours(hex).brand[0]

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** What the schema cannot check: this service must store the logo, and links must be web addresses. */
export function siteProblems(publicUrl: string, site: SiteFields): Problem[] {
  const problems: Problem[] = []
  if (site.logo !== null && !ownPicture(publicUrl, site.logo))
    problems.push(problem('logo', 'must be the address of a picture that this service stores, or null.'))
  for (const name of ['links', 'sellers'] as const)
    for (const [at, { href }] of site[name].entries())
      if (!parseWebAddress(href))
        problems.push(problem(`${name}.${at}.href`, 'must be a complete http or https address.'))
  for (const [at, { logo }] of site.sellers.entries())
    if (logo !== null && !ownPicture(publicUrl, logo))
      problems.push(
        problem(`sellers.${at}.logo`, 'must be the address of a picture that this service stores, or null.'),
      )
  return problems
}

type GivenSite = Partial<Omit<SiteFields, 'texts'>> & { texts?: Partial<SiteFields['texts']> }

export const withSiteDefaults = (given: GivenSite): SiteFields => ({
  ...DEFAULT_SITE,
  ...given,
  texts: { ...DEFAULT_SITE.texts, ...given.texts },
})

/** Logos that were stored before the service moved to another host get their current address. */
export const withPresentLogos = (publicUrl: string, site: SiteFields): SiteFields => {
  const present = <T>(logo: T) => (typeof logo === 'string' ? (storedPicture(publicUrl, logo) ?? logo) : logo)
  // A row that was written to the database directly may have no list here.
  const sellers = Array.isArray(site.sellers)
    ? site.sellers.map((seller) => ({ ...seller, logo: present(seller?.logo) }))
    : site.sellers
  return { ...site, logo: present(site.logo), sellers }
}

/**
 * The stored site as it can be shown, and the problems of fields that cannot. A row that was written to the database directly may have
 * such fields; only these get their default.
 */
export function usableSite(publicUrl: string, stored: unknown): { fields: SiteFields; problems: Problem[] } {
  const read = tryReadBody(siteFieldsSchema, withPresentLogos(publicUrl, withSiteDefaults((stored ?? {}) as GivenSite)))
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
