// `catalog serve`: the service itself.
import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import { examples } from './lists.ts'

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Start the service. Settings are environment variables or a .env file, see docs/settings.md.')
    .addHelpText('after', examples('serve'))
    .action(async () => {
      // Loaded here so that the other commands start at once.
      const { serve } = await import('../../serve.ts')
      const running = await serve()
      // An attempt to deliver a webhook may take ten seconds, and is waited for.
      closeWithGrace({ delay: 15_000, logger: false }, async ({ err }) => {
        if (err) console.error(err)
        await running.close()
      })
    })
}
