// `catalog demo reset`: back to the demo catalog.
import type { Command } from 'commander'
import { answer, confirm, examples, say } from '../kit/output.ts'
import { refuseWithPostgres } from './backup.ts'
import { localConfig, withReadableErrors } from './operating.ts'

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
      refuseWithPostgres(config, 'make a new database for a new start')
      if (!yes)
        await confirm(reset, `Put everything in ${config.DATA_DIR} aside and start again with the demo catalog?`)
      const { resetDemo } = await import('../../../operating/demo.ts')
      const old = await withReadableErrors(async () => resetDemo(config))
      answer(reset, { old }, () => {
        say('The next start loads the demo catalog and prints new keys: catalog serve')
        if (old) say(`What was there before is in ${old}. Remove it when you no longer need it.`)
      })
    })
}
