// Tables: guesses by the heading of a column which field of an entry it is for.
import type { Kind } from '../../catalog/schema.ts'
import { bodies } from '../schema.ts'

/** The fields that a column may be mapped to. */
export const fieldsOf = (kind: Kind): string[] => ['slug', ...Object.keys(bodies[kind].properties)]

const normalise = (text: string): string =>
  text
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Other headings that spreadsheets use for a field. If several fields fit a column, the first field of the kind gets it. */
const OTHER_HEADINGS: Readonly<Record<string, string>> = {
  name: 'title, tool, tool name, product, product name, app, company, startup, directory, site name',
  website: 'url, link, site, homepage, web, website url, web site, address, domain, product url',
  tagline: 'short description, summary, slogan, subtitle, headline, one liner, pitch',
  description: 'long description, full description, about, details, body, text',
  smallDescription: 'short description, summary, tagline',
  fullDescription: 'description, long description, about, details',
  category: 'main category, topic, section',
  categories: 'category, topics',
  tags: 'tag, keywords, labels',
  pricing: 'price, price model, pricing model, plan',
  cost: 'price, pricing, fee',
  minimumPrice: 'lowest price, price from, min price',
  icon: 'logo, logo url, favicon, icon url',
  frame: 'screenshot, image, image url, picture, cover, thumbnail',
  founderName: 'founder, author, maker, owner, contact name',
  founderEmail: 'email, e-mail, founder e-mail, contact email, mail',
  location: 'country, city, place',
  domainRating: 'dr, domain authority, da',
  monthlyVisits: 'traffic, visits, monthly traffic',
  type: 'link type, dofollow',
  submissionLink: 'submit url, submission url, submit link, submission form',
  opens: 'clicks, click throughs',
  createdAt: 'created, created at, date, date added, added',
  published: 'is published, live, visible, active',
  slug: 'id, handle, permalink',
}

const isOtherHeading = (field: string, heading: string): boolean =>
  OTHER_HEADINGS[field]?.split(', ').some((other) => normalise(other) === heading) === true

/** The field that fits a heading, even if another column has it. The number that `headingsOf` adds to a repeated heading is ignored. */
export function fittingField(kind: Kind, column: string): string | undefined {
  const heading = normalise(column.replace(/ \(\d+\)$/, ''))
  const fields = fieldsOf(kind)
  return fields.find((field) => normalise(field) === heading) ?? fields.find((field) => isOtherHeading(field, heading))
}

/** The field of each column; null where none fits. Each field goes to one column: the one with its name, or else the first that fits. */
export function guessMapping(kind: Kind, columns: readonly string[]): Record<string, string | null> {
  const fields = fieldsOf(kind)
  const mapping: Record<string, string | null> = Object.fromEntries(columns.map((column) => [column, null]))
  const free = new Set(fields)
  const assign = (column: string, field: string | undefined) => {
    if (field === undefined || mapping[column] !== null || !free.delete(field)) return
    mapping[column] = field
  }
  for (const column of columns) {
    const fieldOfThisName = fields.find((field) => normalise(field) === normalise(column))
    assign(column, fieldOfThisName)
  }
  for (const column of columns) {
    const fieldThatFits = fields.find((field) => free.has(field) && isOtherHeading(field, normalise(column)))
    assign(column, fieldThatFits)
  }
  return mapping
}
