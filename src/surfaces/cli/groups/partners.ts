// `catalog partners`: platforms that submit tools for their customers. Also the options `--budget` and `--badges`, which limit a plan.
import { InvalidArgumentError, Option } from 'commander'
import type { FieldForm, Group } from '../derived/declared.ts'
import { command, list } from '../derived/define.ts'
import { printSecrets } from '../kit/output.ts'
import { shortTime } from '../kit/table.ts'
import { banFlags } from './access.ts'

const EXAMPLE_ID = '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'

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
      examples: [`partners change ${EXAMPLE_ID} --support human`, `partners change ${EXAMPLE_ID} --ban`],
      says: ({ name }, { body }) => `Changed partner ${name}: ${Object.keys(body).join(', ')}.`,
    }),
    command('create_partner_key', {
      name: 'key',
      description: 'Issue another key to a partner. Those before it go on working.',
      examples: [`partners key ${EXAMPLE_ID}`, `partners key ${EXAMPLE_ID} --test`],
      says: ({ id, test }) =>
        test
          ? `Made test key ${id}. It works in the partner's sandbox alone.`
          : `Made key ${id}. Revoke the old one with: catalog keys revoke <id>`,
      prints: ({ key, test }) => printSecrets({ [test ? 'Test key' : 'Key']: key }),
    }),
    command('rotate_secret', {
      description: "Replace a partner's signing secret.",
      examples: [`partners rotate-secret ${EXAMPLE_ID}`, `partners rotate-secret ${EXAMPLE_ID} --overlap-hours 0`],
      says: ({ previousValidUntil: until }) =>
        `Events are signed with a new secret from now on.\n${until ? `webhook-signature has the previous one too until ${shortTime(until)}.` : 'The previous one ends.'}`,
      prints: ({ webhookSecret }) => printSecrets({ 'Signing secret of webhooks': webhookSecret }),
    }),
    command('send_test_event', {
      description: 'Send a signed test.ping to the webhook URL of a partner.',
      examples: [`partners test-event ${EXAMPLE_ID}`],
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
