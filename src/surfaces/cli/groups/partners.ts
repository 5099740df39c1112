// `catalog partners`: platforms that submit tools for their customers. Also the options `--budget` and `--badges`, which limit a plan.
// `catalog webhooks`: the delivery log, sending again, a receiver for tests, and forwarding to a receiver on this machine.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ReceiverOptions } from '../by-hand/listen.ts'
import { byHand, command, type FieldForm, type Group, list } from '../derived/declared.ts'
import { examples, printSecrets } from '../kit/output.ts'
import { wholeNumberOption } from '../kit/schema-options.ts'
import { shortTime } from '../kit/table.ts'
import { banFlags } from './access.ts'

const EXAMPLE_PARTNER = '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'

/** The value of `--budget` or `--badges` for a submission to which the limit of its partner applies. */
const OF_PARTNER = 'partner'

export const partnersCommands: Group = {
  examples: ['partners create --name "Example Platform"', 'partners list'],
  arguments: { id: ['<id>', 'Identifier of the partner, from: catalog partners list'] },
  commands: [
    command('create_partner', {
      description: 'Create a partner with a key and a signing secret.',
      examples: ['partners create --name "Example Platform" --support hybrid --webhook-url https://example.com/hooks'],
      says: ({ id, name }) => `Made partner ${id}: ${name}.`,
      prints: ({ key, webhookSecret }) =>
        printSecrets({ 'Partner key': key, 'Signing secret of webhooks': webhookSecret }),
    }),
    list('list_partners', {
      description: 'List partners, newest first.',
      empty: 'No partners yet. Make one with: catalog partners create --name "Example Platform"',
      none: 'No such partner.',
      columns: {
        ID: 'id',
        NAME: { cut: 'name' },
        SUPPORT: 'support',
        BANNED: 'banned',
        'KEY ENDS IN': 'last4',
        EVENTS: { cut: ({ events }) => events.join(', ') },
        WEBHOOK: { cut: 'webhookUrl' },
        CONTACT: { cut: 'contactEmail' },
        MADE: { day: 'createdAt' },
      },
      examples: ['partners list'],
    }),
    command('change_partner', {
      description: 'Change a partner. What is not given stays as it is.',
      fields: { plan: planLimits(), banned: banFlags('partner') },
      examples: [`partners change ${EXAMPLE_PARTNER} --support human`, `partners change ${EXAMPLE_PARTNER} --ban`],
      says: ({ name }, { body }) => `Changed partner ${name}: ${Object.keys(body).join(', ')}.`,
    }),
    command('create_partner_key', {
      name: 'key',
      description: 'Issue another key to a partner. Those before it go on working.',
      examples: [`partners key ${EXAMPLE_PARTNER}`, `partners key ${EXAMPLE_PARTNER} --test`],
      says: ({ id, test }) =>
        test
          ? `Made test key ${id}. It works in the partner's sandbox alone.`
          : `Made key ${id}. Revoke the old one with: catalog keys revoke <id>`,
      prints: ({ key, test }) => printSecrets({ [test ? 'Test key' : 'Key']: key }),
    }),
    command('rotate_secret', {
      description: "Replace a partner's signing secret.",
      examples: [
        `partners rotate-secret ${EXAMPLE_PARTNER}`,
        `partners rotate-secret ${EXAMPLE_PARTNER} --overlap-hours 0`,
      ],
      says: ({ previousValidUntil: until }) =>
        `Events are signed with a new secret from now on.\n${until ? `webhook-signature has the previous one too until ${shortTime(until)}.` : 'The previous one ends.'}`,
      prints: ({ webhookSecret }) => printSecrets({ 'Signing secret of webhooks': webhookSecret }),
    }),
    command('send_test_event', {
      description: 'Send a signed test.ping to the webhook URL of a partner.',
      examples: [`partners test-event ${EXAMPLE_PARTNER}`],
      says: ({ id, state, status, error }) => `Delivery ${id}: ${[state, status, error].filter(Boolean).join(', ')}`,
      fails: ({ state }) => state !== 'delivered',
    }),
  ],
}

/** The options `--budget` and `--badges`. `isOwn`: the limits of one submission, whose value may also be `partner`. */
export function planLimits({ isOwn = false }: { isOwn?: boolean } = {}): FieldForm {
  const partnerHint = isOwn ? ` ${OF_PARTNER}: as for the partner.` : ''
  // In an object, because commander replaces a null value with an empty text.
  const readBudget = (text: string): { budget: number | null } => {
    if (isOwn && text === OF_PARTNER) return { budget: null }
    if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be an amount such as 50.')
    return { budget: Number(text) }
  }
  const budgetMeans = `The highest least price of a directory in plans; 0: free ones only.${partnerHint}`
  const badgesMean = `Whether directories that demand a badge are proposed.${partnerHint}`
  return {
    options: [
      new Option('--budget <amount>', budgetMeans).argParser(readBudget),
      new Option('--badges <choice>', badgesMean).choices(['yes', 'no', ...(isOwn ? [OF_PARTNER] : [])]),
    ],
    read: ({ budget, badges }) => {
      if (budget === undefined && badges === undefined) return undefined
      const wanted = badges === undefined ? {} : { badges: badges === OF_PARTNER ? null : badges === 'yes' }
      return Object.assign({}, budget, wanted)
    },
  }
}

const EXAMPLE_DELIVERY = '2f8e6c1a-7b3d-4c55-9d0e-8a1b2c3d4e5f'
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
      examples: [`webhooks show ${EXAMPLE_DELIVERY}`],
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
      examples: [`webhooks resend ${EXAMPLE_DELIVERY}`],
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
        const { forward } = await import('../by-hand/listen.ts')
        return forward(listen, { to: forwardTo, client, test })
      }
      const { receive } = await import('../by-hand/listen.ts')
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
