// `catalog backup`, `restore`, `demo reset` and `move`: write DATA_DIR into a file, restore it from one, move it aside for the demo
// catalog, or move the catalog between the embedded database and PostgreSQL without loss.
import { createReadStream, existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, ConfigError, loadConfig } from '../../../config.ts'
import { OperatingError } from '../../../kernel/errors.ts'
import { ApiRefusal, call } from '../kit/client.ts'
import { commandSettings } from '../kit/connection.ts'
import { fileError, targetOf, writeTarget } from '../kit/files.ts'
import {
  CommandError,
  confirm,
  counted,
  examples,
  printAnswer,
  printJson,
  printTable,
  remark,
  say,
  sizeText,
  startProgress,
  wantsJson,
} from '../kit/output.ts'
import { shortTime } from '../kit/table.ts'

export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('Back up DATA_DIR (embedded database, pictures, secrets) into one file, also while the service runs.')
    .argument('<file>', 'File to write, such as catalog.tar.gz; - for standard output.')
    .option('--force', 'Replace the file if it is there already.')
    .addHelpText('after', examples('backup catalog.tar.gz', 'backup - | age -r RECIPIENT > catalog.tar.gz.age'))
    .addHelpText('after', '\nThe file holds secrets: its holder may do everything. With DATABASE_URL use pg_dump.')
  command.action(async (file: string, { force }: { force?: boolean }) => {
    const { config } = commandSettings()
    refuseWithPostgres(config, 'Its backup is made with pg_dump.')
    if (file === '-' && process.stdout.isTTY)
      throw new CommandError('A backup is no text for a terminal. Name a file, or pipe it on.')
    const target = file === '-' ? null : targetOf(file)
    if (target && isInside(config.DATA_DIR, target.path))
      throw new CommandError(`${file} is inside DATA_DIR, and would be lost with it. Name a file elsewhere.`)
    if (target?.isPlain && !force && existsSync(target.path))
      throw new CommandError(
        `${file} is there already, perhaps with an older backup. Name another file, or add --force.`,
      )
    const { backUp } = await import('../../../operating/backup.ts')
    const progress = startProgress()
    const make = (sink: NodeJS.WritableStream) =>
      withReadableErrors(() =>
        backUp(
          config,
          sink as never,
          (lockError) => snapshot(command, lockError),
          ({ files, bytes }) => progress.show(`Backing up  ${counted(files, 'file', 'files')}, ${sizeText(bytes)}`),
        ),
      )
    const made = await (target ? writeTarget(target, make) : make(process.stdout)).finally(() => progress.end())
    if (target && wantsJson(command)) return printJson({ file, ...made.contents, running: made.running })
    const { files, bytes } = made.contents
    remark(
      `Backed up ${counted(files, 'file', 'files')}, ${sizeText(bytes)}${made.running ? ', beside the service' : ''}.`,
    )
    remarkLeftOut('Not backed up', made.contents.leftOut)
    if (made.pictures === 'bucket') remark('Pictures are in the bucket S3_BUCKET, and not in this file.')
    if (made.pepper === 'setting')
      remark('Keep KEY_PEPPER too: it is not in this file, and without it no key works after a restore.')
  })
}

const MOST_NAMED = 10

/** Says which files in DATA_DIR were left out: files that the service does not write there. */
function remarkLeftOut(what: string, names: readonly string[]): void {
  if (names.length === 0) return
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  remark(`${what}, because the service knows no such names: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`)
}

function refuseWithPostgres(config: Config, instead: string): void {
  if (config.DATABASE_URL)
    throw new CommandError(
      `DATABASE_URL is set, so the database is PostgreSQL. ${instead} docs/operating.md says what else to keep.`,
    )
}

/** Asks the running service, which has locked DATA_DIR, for a copy of the database. Returns the folder of the copy. */
async function snapshot(command: Command, lockError: Error): Promise<string> {
  try {
    return (await call(command, 'take_snapshot')).folder
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    // The process that has locked the folder did not make a copy, so the database cannot be copied safely.
    const why = error instanceof ApiRefusal ? `It answered: ${error.message}` : error.message
    throw new CommandError(`${lockError.message.split('. ')[0]}, and a copy could not be asked for. ${why}`)
  }
}

const isInside = (folder: string, path: string) => {
  const relativePath = relative(resolve(folder), path)
  return relativePath !== '' && !relativePath.startsWith('..')
}

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('Put a backup into DATA_DIR, which must be empty. The service must not run.')
    .argument('<file>', 'File that catalog backup wrote; - for standard input.')
    .option('--replace', 'Put what is in DATA_DIR aside, into a folder named before-restore-….')
    .addHelpText('after', examples('restore catalog.tar.gz', 'restore --replace catalog.tar.gz'))
  command.action(async (file: string, { replace = false }: { replace?: boolean }) => {
    const config = localConfig()
    refuseWithPostgres(config, 'Its backup is put back with pg_restore.')
    const { restore } = await import('../../../operating/restore.ts')
    const progress = startProgress()
    const onProgress = (done: { files: number; bytes: number }) =>
      progress.show(`Restoring  ${counted(done.files, 'file', 'files')}, ${sizeText(done.bytes)}`)
    const restored = await withReadableErrors(() =>
      restore(config, file === '-' ? process.stdin : chunksOf(file), { replace, onProgress }),
    ).finally(() => progress.end())
    const { manifest, contents, counts, pending, old, pepperFits } = restored
    printAnswer(command, { ...contents, madeAt: manifest.madeAt, ...counts, old, pepperFits }, () => {
      say(
        `Restored the backup of ${shortTime(manifest.madeAt)} into ${config.DATA_DIR}: ${counted(counts.tools, 'tool', 'tools')}, ${counted(counts.directories, 'directory', 'directories')}, ${counted(counts.keys, 'key', 'keys')}.`,
      )
      if (pending > 0) say(`The next start brings it up to date with ${counted(pending, 'migration', 'migrations')}.`)
      if (old) say(`What was there before is in ${old}. Remove it when you no longer need it.`)
    })
    remarkLeftOut('Not restored', contents.leftOut)
    if (!pepperFits)
      remark("KEY_PEPPER is not the one these keys were made with. Set it to the backed-up service's before starting.")
    if (manifest.pictures === 'bucket') remark('Its pictures are in a bucket: set S3_BUCKET as it was.')
  })
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw fileError('read', file, error)
  }
}

export function addDemo(program: Command): void {
  const demo = program.command('demo').description('Start again with the demo catalog.')
  const reset = demo.command('reset')
  reset
    .description(
      'Put everything in DATA_DIR aside, so that the next start loads the demo catalog. The service must not run.',
    )
    .option('--yes', 'Do not ask.')
    .addHelpText('after', examples('demo reset', 'demo reset --yes'))
    .action(async ({ yes }: { yes?: boolean }) => {
      const config = localConfig()
      refuseWithPostgres(config, 'To start again, make a new database.')
      if (!yes)
        await confirm(reset, `Put everything in ${config.DATA_DIR} aside and start again with the demo catalog?`)
      const { resetDemo } = await import('../../../operating/restore.ts')
      const old = await withReadableErrors(async () => resetDemo(config))
      printAnswer(reset, { old }, () => {
        say('The next start loads the demo catalog and prints new keys: catalog serve')
        if (old) say(`What was there before is in ${old}. Remove it when you no longer need it.`)
      })
    })
}

/** The service's own settings, for commands that work on the data itself. */
function localConfig(): Config {
  try {
    return loadConfig()
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message) : error
  }
}

/** Prints an error that the operator can fix as one message. Any other error is a bug and keeps its stack trace. */
async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof OperatingError ? new CommandError(error.message) : error
  }
}

export function addMove(program: Command): void {
  const command = program
    .command('move')
    .description('Move everything from where the settings say it is to another database. The service must not run.')
    .requiredOption('--to <place>', 'postgres://… of an empty database, or a folder to be the new DATA_DIR.')
    .option('--ignore-connections', 'Go on although others are connected to the old PostgreSQL.')
    .addHelpText('after', examples('move --to postgres://catalog@db.example.com/catalog', 'move --to ./data'))
    .addHelpText('after', '\nA password need not be part of the address: PGPASSWORD is read too. The old data stays.')
  command.action(async ({ to, ignoreConnections = false }: { to: string; ignoreConnections?: boolean }) => {
    const config = localConfig()
    const { move, placeTitle } = await import('../../../operating/move/move.ts')
    const progress = startProgress()
    const begun = Date.now()
    const outcome = await withReadableErrors(() =>
      move(config, to, { ignoreConnections, onProgress: (step) => progress.show(step) }),
    ).finally(() => progress.end())
    const { tables, rows, jobs, pepper, carried } = outcome
    const seconds = Math.round((Date.now() - begun) / 100) / 10
    const data = { from: placeTitle(outcome.from), to: placeTitle(outcome.to), tables, rows, jobs, seconds, carried }
    printAnswer(command, { ...data, pepper: pepper.in }, () => {
      const filled = tables.filter((table) => table.rows > 0)
      if (filled.length > 0) printTable(filled, { TABLE: 'table', ROWS: 'rows', 'CHECKSUM, BOTH SIDES': 'checksum' })
      say(`
Moved ${counted(rows, 'row', 'rows')} in ${seconds} s from ${data.from} to ${data.to}.
Both sides have the same rows in every one of ${tables.length} tables.
${jobs > 0 ? `${counted(jobs, 'background job', 'background jobs')} that had not ended came along.\n` : ''}
What to do now:`)
      for (const step of nextSteps(outcome, config.S3_BUCKET !== undefined)) say(`  - ${step}`)
    })
  })
}

type Outcome = Awaited<ReturnType<typeof import('../../../operating/move/move.ts').move>>

function nextSteps({ from, to, pepper, carried }: Outcome, hasBucket: boolean): string[] {
  const steps =
    to.kind === 'postgres'
      ? ['Set DATABASE_URL to the address given, and start the service.']
      : [`Unset DATABASE_URL, set DATA_DIR=${to.dataDir}, and start the service.`]
  if (carried.length > 0) steps.push(`Carried into the new DATA_DIR: ${carried.join(', ')}.`)
  if (pepper.in === 'setting') steps.push('Leave KEY_PEPPER as it is: the keys need it.')
  else if (to.kind === 'postgres') {
    steps.push(
      `Keep ${pepper.path}: the keys need it. Processes with another DATA_DIR need KEY_PEPPER set to its content.`,
    )
    if (!hasBucket)
      steps.push('Keep DATA_DIR/media: pictures stay there. Several machines need a shared folder or S3_BUCKET.')
  }
  steps.push(
    from.kind === 'embedded'
      ? `The old database is still in ${from.dataDir}/database. Remove that folder once all is well; moving back needs its place.`
      : 'The old database is still there. Drop it once all is well.',
  )
  return steps
}
