// Which kinds of product a directory accepts when its `accepts` is empty but its name or address leaves no doubt: the App Store takes
// apps, a list of WordPress plug-ins takes plug-ins. A filled `accepts` always decides; an operator who means any kind lists all kinds.
import { words } from '../../../search/words/words.ts'
import type { ProductKind } from '../schema.ts'
import { knownHost } from './known-hosts.rules.ts'

/** Patterns for the name of a directory, and the kinds that it accepts then. The first pattern that matches decides. */
const KINDS_BY_NAME: readonly (readonly [pattern: RegExp, kinds: readonly ProductKind[]])[] = [
  [/ (plugins?|plug ins?|add ?ons?|integrations) /, ['plugin', 'extension']],
  [/ (extensions?|chrome web store) /, ['extension']],
  [
    / (shopify|slack|wordpress|jira|atlassian|zapier|figma|notion|salesforce|hubspot) (app|apps|marketplace|store|directory) /,
    ['plugin'],
  ],
  [/ (google play|play store|app ?store|android|ios|iphone|galaxy store|appgallery|mobile apps) /, ['mobile']],
  [/ (open ?source|self ?hosted) /, ['open-source']],
  [/ hardware /, ['hardware']],
]

const STORE_CATEGORY = / app stores? | mobile apps /
const NOT_WEB: readonly ProductKind[] = ['mobile', 'extension', 'plugin']

/** What is read of a directory. */
export interface StoreDirectory {
  name: string
  website: string
  categories: readonly string[]
  accepts: readonly ProductKind[]
}

/** The kinds that the directory accepts; empty: any. */
export function acceptedKinds({ name, website, categories, accepts }: StoreDirectory): readonly ProductKind[] {
  if (accepts.length > 0) return accepts
  const known = knownHost(website).accepts
  if (known) return known
  const spacedName = spaced(name)
  const byName = KINDS_BY_NAME.find(([pattern]) => pattern.test(spacedName))
  if (byName) return byName[1]
  // The first category is the main one.
  return STORE_CATEGORY.test(spaced(categories[0] ?? '')) ? NOT_WEB : []
}

const MAX_READ = 300
/** The words of the text, each with a space on both sides, so that a pattern matches whole words. */
const spaced = (text: string): string => ` ${words(text.slice(0, MAX_READ)).join(' ')} `
