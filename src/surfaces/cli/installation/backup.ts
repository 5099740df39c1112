// `catalog backup`: the embedded database, the pictures and the secrets in one file.
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../../config.ts'
import { call, Refusal } from '../kit/client.ts'
import { commandSettings } from '../kit/connection.ts'
import { targetOf, writeTarget } from '../kit/files.ts'
import { CommandError, examples, printJson, remark, wantsJson } from '../kit/output.ts'
import { bytes, counted, startProgress } from '../kit/progress.ts'
import { withReadableErrors } from './operating.ts'

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
    refuseWithPostgres(config, 'pg_dump makes its backup')
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
          (inUse) => snapshot(command, inUse),
          ({ files, bytes: size }) => progress.show(`Backing up  ${counted(files, 'file', 'files')}, ${bytes(size)}`),
        ),
      )
    const made = await (target ? writeTarget(target, make) : make(process.stdout)).finally(() => progress.end())
    if (target && wantsJson(command)) return printJson({ file, ...made.contents, running: made.running })
    const { files, bytes: size } = made.contents
    remark(`Backed up ${counted(files, 'file', 'files')}, ${bytes(size)}${made.running ? ', beside the service' : ''}.`)
    remarkLeftOut('Not backed up', made.contents.leftOut)
    if (made.pictures === 'bucket') remark('Pictures are in the bucket S3_BUCKET, and not in this file.')
    if (made.pepper === 'setting')
      remark('Keep KEY_PEPPER too: it is not in this file, and without it no key works after a restore.')
  })
}

const MOST_NAMED = 10

export function remarkLeftOut(what: string, names: readonly string[]): void {
  if (names.length === 0) return
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  remark(`${what}, because the service knows no such names: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`)
}

export function refuseWithPostgres(config: Config, how: string): void {
  if (config.DATABASE_URL)
    throw new CommandError(
      `DATABASE_URL is set: the database is a PostgreSQL, and ${how}. docs/operating.md says what else to keep.`,
    )
}

/** A running service has locked the folder, so it is asked to make the copy. */
async function snapshot(command: Command, inUse: Error): Promise<string> {
  try {
    return (await call(command, 'take_snapshot')).folder
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    // The process that has locked the folder did not make a copy, so the database cannot be copied safely.
    const why = error instanceof Refusal ? `It answered: ${error.message}` : error.message
    throw new CommandError(`${inUse.message.split('. ')[0]}, and a copy could not be asked for. ${why}`)
  }
}

const isInside = (folder: string, path: string) => {
  const way = relative(resolve(folder), path)
  return way !== '' && !way.startsWith('..')
}
