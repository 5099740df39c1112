// All commands in the order of the help. A function adds a single command; a pair is the name and description of a group, whose commands
// `groups.ts` adds only when the command line names a group, because loading the operations is slow.
import type { Command } from 'commander'
import { addExport } from './by-hand/export.ts'
import { addImport } from './by-hand/import.ts'
import { addSearch } from './by-hand/search.ts'
import { addServerJson } from './by-hand/server-json.ts'
import { addCompletion } from './completion.ts'
import { addBackup, addDemo, addRestore } from './installation/backup.ts'
import { addDoctor } from './installation/doctor.ts'
import { addMove } from './installation/move.ts'
import { addServe } from './installation/serve.ts'

type GroupHead = readonly [name: string, description: string]

export const CONTENTS: readonly (GroupHead | ((program: Command) => void))[] = [
  addServe,
  ['keys', 'Issue, list and revoke API keys.'],
  ['partners', 'Create, list and change partners.'],
  ['users', 'List and change users.'],
  ['person', 'Export or delete everything about one person.'],
  ['subscriptions', 'List who pays for the paid plan, and compare with Stripe.'],
  ['grants', 'List and withdraw the access of programs that users signed in to.'],
  ['categories', 'List, create, replace or delete a category.'],
  ['tags', 'List, create, replace or delete a tag.'],
  ['directory-categories', 'List, create, replace or delete a directory category.'],
  ['collections', 'List, create, replace or delete a collection.'],
  ['tools', 'List, show, create, replace, publish or delete tools.'],
  ['directories', 'List, show, create, replace, publish or delete directories.'],
  ['overview', 'Show the work that waits for an administrator.'],
  ['broken', 'Stored rows that are invalid and hidden from readers.'],
  ['submissions', 'Work the queue of submitted tools.'],
  ['reviews', 'Accept or refuse products that founders have sent.'],
  ['owners', 'List and remove the owners of listings.'],
  ['orders', 'List the packages that founders ordered, and compare with Stripe.'],
  ['proposals', 'Accept or refuse changes of listings that partners propose.'],
  ['health', 'See which listings are gone, parked or moved, and decide what becomes of them.'],
  ['visitor-reports', 'Read and answer what visitors report about listings.'],
  ['links', 'See which listings have their link, and which lost it.'],
  ['support', "Read and answer customers' questions."],
  ['knowledge', 'Edit and search the articles that answers come from.'],
  ['webhooks', 'List and resend deliveries, and receive test events.'],
  ['enrichments', 'Look at background enrichment, and ask for it again.'],
  ['pictures', 'Store pictures, and look at the copies of listings’ pictures.'],
  addImport,
  addExport,
  addSearch,
  ['site', "Show and replace the site's own name, words, colour and pages."],
  ['unfound', 'Show what people look for and do not find.'],
  ['learning', 'Show what is learned from searches, and what visitors ask for most.'],
  ['openings', 'Show what visitors open after which question, and forget it.'],
  addServerJson,
  ['changes', 'List what changed in the catalog, for a mirror.'],
  ['audit', 'Show who changed what and when.'],
  addBackup,
  addRestore,
  addMove,
  addDemo,
  addDoctor,
  addCompletion,
]

export const GROUP_NAMES = CONTENTS.flatMap((entry) => (typeof entry === 'function' ? [] : [entry[0]]))
