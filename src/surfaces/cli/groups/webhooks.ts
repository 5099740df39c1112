// `catalog webhooks`: the delivery log, sending again, a receiver for tests, and forwarding to a receiver on this machine.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ReceiverOptions } from '../by-hand/webhook-receiver.ts'
import type { Group } from '../derived/declared.ts'
import { byHand, command, list } from '../derived/define.ts'
import { examples } from '../kit/output.ts'
import { wholeNumberOption } from '../kit/schema-options.ts'
import { shortTime } from '../kit/table.ts'

const EXAMPLE_ID = '2f8e6c1a-7b3d-4c55-9d0e-8a1b2c3d4e5f'
const DEFAULT_PORT = 4400

export const webhooksCommands: Group = {
  examples: ['webhooks list --state failed', 'webhooks listen --secret whsec_…'],
  arguments: { id: ['<id>', 'Identifier of the delivery, from: catalog webhooks list'] },
  commands: [
    list('list_webhooks', {
      description: 'List deliveries, newest first.',
      empty: 'No events were sent yet.',
      none: 'No such deliveries.',
      columns: {
        ID: 'id',
        STATE: 'state',
        STATUS: 'status',
        EVENT: { cut: 'event' },
        SENT: { time: 'attemptedAt' },
        ERROR: { cut: 'error' },
        MS: 'durationMs',
        PARTNER: 'clientId',
        ANSWER: { cut: 'answer' },
      },
      examples: ['webhooks list', 'webhooks list --state failed --json'],
    }),
    command('get_webhook', {
      description: 'Show a delivery with what was sent and answered.',
      examples: [`webhooks show ${EXAMPLE_ID}`],
      says: ({ event, client, state, status, error, durationMs, answer, body, createdAt }) =>
        [
          `${event} for ${client.name}, ${shortTime(createdAt)}: ${state}`,
          ...(status === null ? [] : [`Status: ${status}, after ${durationMs} ms`]),
          ...(error ? [error] : []),
          ...(answer ? [`Answer: ${answer}`] : []),
          '',
          body,
        ].join('\n'),
    }),
    command('resend_webhook', {
      description: 'Send the event of a delivery once more, as a new delivery.',
      examples: [`webhooks resend ${EXAMPLE_ID}`],
      says: ({ event, id }) => `Sending ${event} again as delivery ${id}.`,
    }),
    byHand(addListen),
  ],
}

function addListen(group: Command): void {
  const listen = group
    .command('listen')
    .description('Receive events on this machine and show them, or forward those of a service, until Ctrl-C.')
  listen
    .addOption(
      new Option('--port <number>', 'Port to listen on; 0 for a free one.')
        .argParser((text) => wholeNumberOption(text, { minimum: 0, maximum: 65_535 }))
        .default(DEFAULT_PORT),
    )
    .option('--secret <text>', 'Signing secret (whsec_…): both signatures are checked with it.', readSecret)
    .addOption(
      new Option('--status <number>', 'Status to answer with.')
        .argParser((text) => wholeNumberOption(text, { minimum: 200, maximum: 599 }))
        .default(200),
    )
    .addOption(
      new Option(
        '--forward-to <url>',
        'Do not listen: ask the service for its deliveries and send each to this address, byte for byte.',
      )
        .argParser(readAddress)
        .conflicts(['port', 'secret', 'status']),
    )
    .option('--client <id>', 'With --forward-to: only the deliveries of this partner.')
    .option('--test', 'With --forward-to: the deliveries of sandboxes instead of live ones.')
    .addHelpText(
      'after',
      examples(
        'webhooks listen',
        'webhooks listen --port 4401 --secret whsec_… --status 500',
        'webhooks listen --forward-to http://127.0.0.1:8000/hooks',
        'webhooks listen --forward-to http://127.0.0.1:8000/hooks --test',
      ),
    )
    .action(async () => {
      const { forwardTo, client, test, ...options } = listen.opts()
      if (forwardTo) {
        const { forward } = await import('../by-hand/webhook-forwarder.ts')
        return forward(listen, { to: forwardTo, client, test })
      }
      const { receive } = await import('../by-hand/webhook-receiver.ts')
      await receive(listen, options as ReceiverOptions)
    })
}

function readAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new InvalidArgumentError('It must be an http or https address without a password.')
  return url.href
}

function readSecret(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/=_-]+$/.test(text)) throw new InvalidArgumentError('Use a whsec_ secret.')
  return text
}
