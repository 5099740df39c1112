// `catalog serve` and `catalog worker`: the service itself.
import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import type { ProcessRole } from '../../../process/serve.ts'
import { examples } from '../kit/output.ts'

// Requests and jobs that take longer than this after a stop signal are aborted.
const STOP_MS = 10_000
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

export function addServe(program: Command): void {
  const serve = program
    .command('serve')
    .description('Start the service. Settings are environment variables or a .env file, see docs/settings.md.')
    .option('--no-worker', 'Only answer; another process does the background work (needs DATABASE_URL).')
  serve
    .addHelpText('after', examples('serve', 'serve --no-worker'))
    .action(() => run(serve.opts().worker ? 'both' : 'server'))
  program
    .command('worker')
    .description('Do the background work and serve no requests (needs DATABASE_URL).')
    .addHelpText('after', examples('worker'))
    .action(() => run('worker'))
}

async function run(role: ProcessRole): Promise<void> {
  // Imported here, so that the other commands start quickly.
  const { serve } = await import('../../../process/serve.ts')
  const running = await serve(role)
  // With several servers, SIGHUP replaces them one by one instead of stopping the service.
  const signals = running.handlesHangUp ? STOP_SIGNALS.filter((signal) => signal !== 'SIGHUP') : STOP_SIGNALS
  const stop = closeWithGrace({ delay: STOP_MS, logger: false, skip: [...STOP_SIGNALS] }, async ({ err }) => {
    if (err) console.error(err)
    await running.close()
  })
  // Signals are handled here and not by closeWithGrace, which would exit at the second one. A process may get a signal twice, from the
  // system and from the first process, so every signal after the first is ignored.
  let isStopping = false
  for (const signal of signals)
    process.on(signal, () => {
      if (!isStopping) void stop.close()
      isStopping = true
    })
}
