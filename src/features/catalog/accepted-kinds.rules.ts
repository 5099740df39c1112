// Which kinds of product a directory accepts when its `accepts` is empty but its name or address leaves no doubt: the App Store takes apps
// and WordPress plug-ins are plug-ins. An operator who fills `accepts` decides; all kinds together mean any kind.
import { words } from '../../search/words.ts'
import { knownHost } from './known-hosts.rules.ts'
import type { ProductKind } from './schema.ts'

/** Words of a name, and the kinds that a directory with them accepts. The first that fits decides. */
const NAMES: readonly (readonly [pattern: RegExp, kinds: readonly ProductKind[]])[] = [
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
  const spelled = spaced(name)
  const named = NAMES.find(([pattern]) => pattern.test(spelled))
  if (named) return named[1]
  // The first category is what a directory is before everything else.
  return STORE_CATEGORY.test(spaced(categories[0] ?? '')) ? NOT_WEB : []
}

const MOST_READ = 300
const spaced = (text: string): string => ` ${words(text.slice(0, MOST_READ)).join(' ')} `
