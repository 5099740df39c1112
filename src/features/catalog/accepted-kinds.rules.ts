// Which kinds of product a directory accepts when its `accepts` is empty but its name or address leaves no doubt: the App Store takes apps
// and WordPress plug-ins are plug-ins. An operator who fills `accepts` decides; all kinds together mean any kind.
import { words } from '../../search/words.ts'
import type { ProductKind } from './schema.ts'

/** Kinds by host, for stores and lists that are known well. A host includes the one below it. */
const KNOWN: ReadonlyMap<string, readonly ProductKind[]> = new Map(
  Object.entries({
    mobile: 'apps.apple.com play.google.com f-droid.org apkpure.com',
    extension:
      'chromewebstore.google.com addons.mozilla.org microsoftedge.microsoft.com marketplace.visualstudio.com open-vsx.org',
    plugin:
      'plugins.jetbrains.com wordpress.org apps.shopify.com marketplace.atlassian.com appexchange.salesforce.com ecosystem.hubspot.com workspace.google.com appsource.microsoft.com zapier.com',
    'open-source': 'flathub.org github.com awesome-selfhosted.net libhunt.com openalternative.co alteropen.com',
  } satisfies Partial<Record<ProductKind, string>>).flatMap(([kind, hosts]) =>
    hosts.split(' ').map((host): [string, ProductKind[]] => [host, [kind as ProductKind]]),
  ),
)

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
  const host = hostOf(website)
  const known = KNOWN.get(host) ?? KNOWN.get(host.slice(host.indexOf('.') + 1))
  if (known) return known
  const spelled = spaced(name)
  const named = NAMES.find(([pattern]) => pattern.test(spelled))
  if (named) return named[1]
  // The first category is what a directory is before everything else.
  return STORE_CATEGORY.test(spaced(categories[0] ?? '')) ? NOT_WEB : []
}

const MOST_READ = 300
const spaced = (text: string): string => ` ${words(text.slice(0, MOST_READ)).join(' ')} `

/** Without `www.`; empty when the address cannot be read. */
export const hostOf = (website: string): string => HOST.exec(website.slice(0, MOST_READ))?.[1]?.toLowerCase() ?? ''

const HOST = /^\s*https?:\/\/(?:www\.)?([^\s/:?#]+)/i
