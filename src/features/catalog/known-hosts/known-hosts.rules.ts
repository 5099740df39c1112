// Facts about well-known directories, by host, because many catalogs have only a name, one category and some figures of a directory. They
// are used where the directory's own fields are empty. The facts of a host are also those of its direct subdomains. Where the host is not
// known either, the name may leave no doubt which kinds of product a directory accepts: the App Store takes apps.
import { words } from '../../../search/words/words.ts'
import type { ProductKind } from '../schema.ts'
import type { Topic } from './topics.ts'

export interface KnownHost {
  /** The kinds of product that the directory takes. */
  accepts?: readonly ProductKind[]
  languages?: readonly string[]
  /** The topics of the products that it lists. */
  about?: readonly Topic[]
  /** Set when it lists products of all topics, whatever its name or its category says. */
  general?: GeneralList
}

/**
 * The words for the gap in "lists … of all topics". A directory of business software does not list products for study or private life.
 */
export const GENERAL_LISTS = {
  business: 'business software',
  software: 'software',
  startups: 'start-ups',
  launches: 'new products',
} as const
export type GeneralList = keyof typeof GENERAL_LISTS

const GROUPS: readonly (readonly [known: KnownHost, hosts: string])[] = [
  [{ accepts: ['mobile'] }, 'apps.apple.com play.google.com f-droid.org apkpure.com appsthunder.com'],
  [
    { accepts: ['extension'] },
    'chromewebstore.google.com addons.mozilla.org microsoftedge.microsoft.com marketplace.visualstudio.com open-vsx.org',
  ],
  [
    { accepts: ['plugin'] },
    `plugins.jetbrains.com wordpress.org apps.shopify.com marketplace.atlassian.com appexchange.salesforce.com ecosystem.hubspot.com
    workspace.google.com appsource.microsoft.com zapier.com`,
  ],
  [
    { accepts: ['open-source'] },
    'flathub.org github.com awesome-selfhosted.net libhunt.com openalternative.co alteropen.com sourceforge.net fosshub.com',
  ],
  [{ languages: ['ru'] }, 'ailib.ru'],
  [{ about: ['developers'] }, 'stackshare.io devhunt.org news.ycombinator.com lobste.rs console.dev daily.dev'],
  [{ about: ['marketing'] }, 'aitools.neilpatel.com aimarketing.directory airadar.getinference.com'],
  [{ about: ['security'] }, 'kitploit.com'],
  [{ about: ['chatbots'] }, 'botsfloor.com'],
  [{ about: ['deals'] }, 'appsumo.com pitchground.com affordhunt.com 1payment.tools easysaveai.com'],
  [{ about: ['agencies'] }, 'clutch.co digitalagencynetwork.com sortlist.com'],
  [{ about: ['forSale'] }, 'flippa.com microns.io acquire.com sideprojectors.com'],
  [{ about: ['hackathons'] }, 'devpost.com'],
  [{ about: ['prompts'] }, 'promptzone.com hacktheprompt.com'],
  [{ about: ['affiliates'] }, 'affiliateforcreators.com'],
  [{ about: ['directories'] }, 'directories.so'],
  [
    { about: ['articles'] },
    'yourstory.com sidebar.io startup88.com bizraw.com techcrunch.com alltopstartups.com crazyaboutstartups.com hackernews.com',
  ],
  [{ about: ['siteFigures'] }, 'webwiki.com sitelike.org similarweb.com'],
  [{ about: ['revenue'] }, 'getlatka.com trustmrr.com under1000mrr.tools'],
  [
    { about: ['showcases'] },
    'dribbble.com behance.net awwwards.com land-book.com onepagelove.com saaspo.com webflow.com',
  ],
  [
    { general: 'business' },
    `g2.com capterra.com getapp.com softwareadvice.com trustradius.com gartner.com financesonline.com crozdesk.com
    softwaresuggest.com softwareworld.co saasworthy.com goodfirms.co tekpon.com`,
  ],
  [{ general: 'software' }, 'alternativeto.net saashub.com alternative.me alternatives.co ebool.com slashdot.org'],
  [
    { general: 'startups' },
    'f6s.com crunchbase.com startupranking.com startupbuffer.com startups.fyi startupbase.io wellfound.com paggu.com indiehackers.com',
  ],
  [
    { general: 'launches' },
    `producthunt.com betalist.com uneed.best peerpush.net microlaunch.net fazier.com launchingnext.com pitchwall.co twelve.tools
    launched.io launched.site tinystartups.co peerlist.io`,
  ],
]

const KNOWN: ReadonlyMap<string, KnownHost> = new Map(
  GROUPS.flatMap(([known, hosts]) => hosts.split(/\s+/).map((host): [string, KnownHost] => [host, known])),
)
const UNKNOWN: KnownHost = {}

export function knownHost(website: string): KnownHost {
  const host = hostOf(website)
  return KNOWN.get(host) ?? KNOWN.get(host.slice(host.indexOf('.') + 1)) ?? UNKNOWN
}

/** How much of an address or a name is read. A host has at most 253 characters. */
const MAX_READ = 300

/** The host of the address without `www.`; empty when the address cannot be read. */
export const hostOf = (website: string): string => HOST.exec(website.slice(0, MAX_READ))?.[1]?.toLowerCase() ?? ''

const HOST = /^\s*https?:\/\/(?:www\.)?([^\s/:?#]+)/i

/** The languages that the directory takes; empty: any. */
export const acceptedLanguages = (directory: { website: string; languages: readonly string[] }): readonly string[] =>
  directory.languages.length > 0 ? directory.languages : (knownHost(directory.website).languages ?? [])

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

export interface StoreDirectory {
  name: string
  website: string
  categories: readonly string[]
  accepts: readonly ProductKind[]
}

/** The kinds that the directory accepts; empty: any. A filled `accepts` decides: an operator who means any kind lists all kinds. */
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

/** The words of the text, each with a space on both sides, so that a pattern matches whole words. */
const spaced = (text: string): string => ` ${words(text.slice(0, MAX_READ)).join(' ')} `
