// The slug of a name.
// Shorter than a slug may be, so that there is room for a number.
const MAX_MADE = 80
// Longer than any name. A slug is made from the beginning of the text, so the rest need not be read.
const MAX_READ = 1_000

/** Returns lower-case ASCII letters, digits and hyphens; empty when the text has no such letter or digit. */
export const slugify = (text: string): string =>
  text
    .slice(0, MAX_READ)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_MADE)
    .replace(/-$/, '')
