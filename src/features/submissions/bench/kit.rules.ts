// The kit: what an administrator pastes into the form of a directory. These are the texts of the product, cut to the limits of the form.
import type { Static } from 'typebox'
import { PRICING_LABELS, type Pricing } from '../../catalog/schema.ts'
import type { kitSchema } from '../queue/queue.schema.ts'

/** How many characters, or tags, the form of a directory takes; 0: not known. */
type FormLimits = Record<'nameLimit' | 'taglineLimit' | 'shortLimit' | 'longLimit' | 'tagsLimit', number>

interface KitProduct {
  name: string
  tagline: string
  description: string
  website: string
  /** The name of the category; the tags are names too. */
  category: string | null
  tags: readonly string[]
  pricing: Pricing
  founderName: string | null
  founderEmail: string | null
}

/** What most forms take; used where a directory does not say. A name and a long description are never cut without a known limit. */
const USUAL = { tagline: 60, short: 160 }

export function kitFields(product: KitProduct, limits: FormLimits): Static<typeof kitSchema>['fields'][number][] {
  /** `known`: the limit of the directory, 0 when it is not known; `usual`: the limit of most forms, 0 when there is none. */
  const cut = (name: string, label: string, text: string, known: number, usual = 0, cutText = cutAtSentence) => {
    const limit = known || usual
    const value = limit > 0 ? cutText(text.trim(), limit) : text.trim()
    return { name, label, value, limit, isUsual: known === 0 && usual > 0, isCut: value !== text.trim() }
  }
  const plain = (name: string, label: string, text: string | null | undefined) => cut(name, label, text ?? '', 0)
  const keptTags = limits.tagsLimit > 0 ? product.tags.slice(0, limits.tagsLimit) : product.tags
  const areTagsCut = keptTags.length < product.tags.length
  return [
    cut('name', 'Name', product.name, limits.nameLimit, 0, cutAtWord),
    plain('website', 'Website', product.website),
    cut('tagline', 'Tagline', product.tagline, limits.taglineLimit, USUAL.tagline),
    cut('short', 'Short description', product.description, limits.shortLimit, USUAL.short),
    cut('long', 'Long description', product.description, limits.longLimit),
    {
      name: 'tags',
      label: 'Tags',
      value: keptTags.join(', '),
      limit: limits.tagsLimit,
      isUsual: false,
      isCut: areTagsCut,
    },
    plain('category', 'Category', product.category),
    plain('pricing', 'Pricing', PRICING_LABELS[product.pricing]),
    plain('founderName', 'Founder', product.founderName),
    plain('founderEmail', 'E-mail', product.founderEmail),
  ].filter(({ value }) => value !== '')
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

// In code units; finding all sentences of the longest text would take 300 ms.
const LOOKED_BACK = 1000

/**
 * The beginning of the text with at most `limit` characters: whole sentences if one of them ends in the last two thirds and in the last
 * LOOKED_BACK, or else whole words.
 */
export function cutAtSentence(text: string, limit: number): string {
  const cut = cutAtWord(text, limit)
  if (cut === text) return text
  // A character has at most two code units.
  const most = [...text.slice(0, 2 * limit + 2)].slice(0, limit).join('').length
  const from = Math.max(0, most - LOOKED_BACK)
  const last = text.slice(from, most + 2)
  const ends = [...sentences.segment(last)].map(({ index }) => last.slice(0, index).trimEnd())
  const isFitting = (length: number) => length >= most / 3 && length <= most
  const end = ends.findLast(
    (text) => isFitting(from + text.length) && SENTENCE_END.test(text) && !ABBREVIATION.test(text),
  )
  return end === undefined ? cut : text.slice(0, from) + end
}
const SENTENCE_END = /[.!?。！？]["')\]”’»]{0,3}$/u
const ABBREVIATION = /(?:^|[\s("])(?:e\.g|i\.e|etc|vs|dr|mrs?|ms|no|inc|ltd|st)\.$/i

/** The beginning of the text with at most `limit` characters, ending with a whole word where the text has words. */
export function cutAtWord(text: string, limit: number): string {
  // A character has at most two code units, so the rest of a long text need not be split.
  const characters = [...text.slice(0, 2 * limit + 2)]
  if (characters.length <= limit) return characters.join('')
  const isSpace = (index: number) => /\s/u.test(characters[index] ?? '')
  let end = limit
  while (end > 0 && !isSpace(end)) end--
  // A single word that is longer than the limit is cut inside.
  const kept = characters.slice(0, end === 0 ? limit : end).join('')
  return kept.trimEnd().replace(/[\s,;:–—-]{1,20}$/u, '') || kept
}
