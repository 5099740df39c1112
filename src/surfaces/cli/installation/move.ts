// `catalog move`: moves a catalog between the embedded database and PostgreSQL without loss.
import type { Command } from 'commander'
import { examples, printAnswer, printTable, say } from '../kit/output.ts'
import { counted, startProgress } from '../kit/progress.ts'
import { localConfig, withReadableErrors } from './backup.ts'

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
