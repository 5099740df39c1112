// The command line. `catalog serve` runs the service; most other commands are thin clients of the operator API.
import { styleText } from 'node:util'
import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { isObject } from '../../kernel/values/objects.ts'
import { VERSION } from '../../process/version.ts'
import { addExport } from './by-hand/export.ts'
import { addImport } from './by-hand/import.ts'
import { addSearch } from './by-hand/search.ts'
import { addServerJson } from './by-hand/server-json.ts'
import { addCompletion } from './completion.ts'
import { addBackup, addDemo, addMove, addRestore } from './installation/backup.ts'
import { addDoctor } from './installation/doctor.ts'
import { addServe } from './installation/serve.ts'
import { readOrigin } from './kit/connection.ts'
import { CommandError, examples } from './kit/output.ts'
import { escapedLines } from './kit/terminal-text.ts'

const FAILED = 1
const WRONG_USAGE = 2

export async function run(argv: string[]): Promise<void> {
  // A reader that closes the pipe early, such as `head`, ends a command without an error. It must not end the service.
  const isService = argv[2] === 'serve' || argv[2] === 'worker'
  if (!isService) process.stdout.on('error', exitOnClosedPipe)
  const asJson = argv.includes('--json')
  const program = createProgram(asJson)
  try {
    if (argv.length <= 2) program.outputHelp()
    else {
      if (needsGroups(program, argv.slice(2))) (await import('./groups.ts')).addGroupCommands(program)
      await program.parseAsync(argv.map(withoutBlanks))
    }
  } catch (error) {
    process.exitCode = explain(error, asJson)
  }
}

/** Removes blanks around an argument, or around the value in `--name=value`. A value that is all blanks stays: `--separator` may be one. */
export function withoutBlanks(argument: string): string {
  const isAllBlanks = /^(?:--[a-z-]+=)?\s+$/.test(argument)
  return isAllBlanks ? argument : argument.replace(/^(--[a-z-]+=)\s+/, '$1').trim()
}

/**
 * Whether `groups.ts` must be loaded: a word is the name of a group, or the first word is no known command. It may then be a group that is
 * not in COMMANDS, because `groups.ts` makes it from the paths of operations alone.
 */
function needsGroups(program: Command, words: readonly string[]): boolean {
  const first = words.find((word) => !word.startsWith('-'))
  const isKnown = first === 'help' || program.commands.some((command) => command.name() === first)
  return words.some((word) => GROUP_NAMES.includes(word)) || (first !== undefined && !isKnown)
}

/** `asJson`: wrong usage, too, is reported as JSON. */
export function createProgram(asJson = false): Command {
  const program = new Command('catalog')
    .description('Catalog Service: a catalog of AI tools and submission directories, over REST and MCP.')
    .version(VERSION, '-V, --version', 'Show the version.')
    .option('--json', 'Print the answer as JSON and nothing else; an error too, on standard error.')
    .option('--url <origin>', 'Address of the service, instead of CATALOG_URL.', readOrigin)
    .helpOption('-h, --help', 'Show help.')
    .helpCommand('help [command]', 'Show help for a command.')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help for the options)')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput(asJson ? jsonErrors : {})
    .addHelpText(
      'after',
      examples('serve', 'keys create --email you@example.com', 'import tools.ndjson', 'export catalog.ndjson'),
    )
    .addHelpText('after', ENVIRONMENT)
  for (const entry of COMMANDS) {
    if (typeof entry === 'function') entry(program)
    else program.command(entry[0]).description(entry[1])
  }
  return program
}

const ENVIRONMENT = `
serve, worker, restore, move, demo and doctor use the service's own settings (docs/settings.md), and so does backup.
All other commands talk to a running service:
  CATALOG_URL  its address; PUBLIC_URL, or http://127.0.0.1:PORT, when unset
  ADMIN_TOKEN  the operator token; the one in DATA_DIR/admin-token when unset
Both come from the environment, or both from a .env file in this folder; --url goes with either.
The operator API that they use describes itself: GET CATALOG_URL/api/admin/openapi.json, with the operator token.

Exit status: 0 done, 1 failed, 2 wrong usage.`

/** Prints wrong usage as JSON: Commander's message without its `error: `. The hint at --help, which `writeErr` gets, is not printed. */
const jsonErrors: OutputConfiguration = {
  outputError: (text) => process.stderr.write(`${JSON.stringify({ error: text.trim().replace(/^error: /, '') })}\n`),
  writeErr: () => {},
}

/** The fields of the API's error answer besides its message, such as the rejected lines of an import; {} for any other error. */
const detailsOf = (error: CommandError): object => ('details' in error && isObject(error.details) ? error.details : {})

function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}

/** Prints an error and returns the exit status. An unexpected error is a bug: it is thrown again and keeps its stack trace. */
function explain(error: unknown, asJson: boolean): number {
  // Commander has already printed the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
  if (!(error instanceof CommandError)) throw error
  if (asJson) {
    process.stderr.write(`${JSON.stringify({ error: error.message, ...detailsOf(error) })}\n`)
    return FAILED
  }
  process.stderr.write(`${styleText('red', escapedLines(error.message), { stream: process.stderr })}\n`)
  return FAILED
}

type GroupHead = readonly [name: string, description: string]

/**
 * All commands in the order of the help. A function adds a single command. A pair is the name and the description of a group; `groups.ts`
 * adds the commands of groups only when the command line names a group, because loading the operations is slow.
 */
const COMMANDS: readonly (GroupHead | ((program: Command) => void))[] = [
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

export const GROUP_NAMES = COMMANDS.flatMap((entry) => (typeof entry === 'function' ? [] : [entry[0]]))
