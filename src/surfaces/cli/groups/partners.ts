// `catalog partners`: platforms that submit tools for their customers.
import type { Command } from 'commander'
import { newPartnerKeyBody } from '../../../features/keys/schema.ts'
import * as schema from '../../../features/partners/schema.ts'
import {
  addBan,
  addFields,
  addVersionGuard,
  changesGiven,
  givenOptions,
  guardGiven,
} from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, printSecrets, say } from '../kit/output.ts'
import { shortDay, shortTime } from '../kit/table.ts'
import { addPlanLimits, planLimitsGiven } from './plan.ts'

const ID = '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'
const ID_MEANS = 'Identifier of the partner, from: catalog partners list'

export function addPartners(program: Command): void {
  const partners = program.command('partners').description('Create, list and change partners.')
  partners.addHelpText('after', examples('partners create --name "Example Platform"', 'partners list'))
  addCreate(partners)
  addList(partners, {
    operation: 'list_partners',
    description: 'List partners, newest first.',
    empty: 'No partners yet. Make one with: catalog partners create --name "Example Platform"',
    filters: schema.partnerFilters,
    none: 'No such partner.',
    columns: [
      { title: 'ID', value: (partner) => partner.id },
      { title: 'NAME', value: (partner) => partner.name, cuttable: true },
      { title: 'SUPPORT', value: (partner) => partner.support },
      { title: 'BANNED', value: (partner) => partner.banned },
      { title: 'KEY ENDS IN', value: (partner) => partner.last4 },
      { title: 'EVENTS', value: (partner) => [partner.events ?? []].flat().join(', '), cuttable: true },
      { title: 'WEBHOOK', value: (partner) => partner.webhookUrl, cuttable: true },
      { title: 'CONTACT', value: (partner) => partner.contactEmail, cuttable: true },
      { title: 'MADE', value: (partner) => shortDay(partner.createdAt) },
    ],
    examples: examples('partners list'),
  })
  addChange(partners)
  addKey(partners)
  addRotateSecret(partners)
  addTestEvent(partners)
}

function addCreate(partners: Command): void {
  const create = partners.command('create').description('Create a partner with a key and a signing secret.')
  addFields(create, schema.newPartnerBody.properties, schema.newPartnerBody.required)
    .addHelpText(
      'after',
      examples('partners create --name "Example Platform" --support hybrid --webhook-url https://example.com/hooks'),
    )
    .action(async () => {
      const body = givenOptions(create, Object.keys(schema.newPartnerBody.properties))
      const partner = await call(create, 'create_partner', { body })
      answer(create, partner, () => {
        say(`Made partner ${partner.id}: ${partner.name}.`)
        printSecrets({ 'Partner key': partner.key, 'Signing secret of webhooks': partner.webhookSecret })
      })
    })
}

function addChange(partners: Command): void {
  const { banned: _, plan: __, ...fields } = schema.partnerChangeBody.properties
  const change = partners.command('change').description('Change a partner. What is not given stays as it is.')
  addVersionGuard(addPlanLimits(addBan(addFields(change.argument('<id>', ID_MEANS), fields), 'partner')))
    .addHelpText('after', examples(`partners change ${ID} --support human`, `partners change ${ID} --ban`))
    .action(async (id: string) => {
      const body = changesGiven(change, [...Object.keys(fields), 'banned'], planLimitsGiven(change))
      const partner = await call(change, 'change_partner', {
        params: { id },
        query: guardGiven(change),
        body,
      })
      answer(change, partner, () => say(`Changed partner ${partner.name}: ${Object.keys(body).join(', ')}.`))
    })
}

function addKey(partners: Command): void {
  const key = partners.command('key').description('Issue another key to a partner. Those before it go on working.')
  addFields(key.argument('<id>', ID_MEANS), newPartnerKeyBody.properties)
    .addHelpText('after', examples(`partners key ${ID}`, `partners key ${ID} --test`))
    .action(async (id: string) => {
      const made = await call(key, 'create_partner_key', {
        params: { id },
        body: givenOptions(key, Object.keys(newPartnerKeyBody.properties)),
      })
      answer(key, made, () => {
        say(
          made.test
            ? `Made test key ${made.id}. It works in the partner's sandbox alone.`
            : `Made key ${made.id}. Revoke the old one with: catalog keys revoke <id>`,
        )
        printSecrets({ [made.test ? 'Test key' : 'Key']: made.key })
      })
    })
}

function addRotateSecret(partners: Command): void {
  const rotate = partners.command('rotate-secret').description("Replace a partner's signing secret.")
  addVersionGuard(addFields(rotate, schema.rotationBody.properties))
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples(`partners rotate-secret ${ID}`, `partners rotate-secret ${ID} --overlap-hours 0`))
    .action(async (id: string) => {
      const data = await call(rotate, 'rotate_secret', {
        params: { id },
        query: guardGiven(rotate),
        body: givenOptions(rotate, Object.keys(schema.rotationBody.properties)),
      })
      answer(rotate, data, () => {
        const until = data.previousValidUntil
        say('Events are signed with a new secret from now on.')
        say(until ? `webhook-signature has the previous one too until ${shortTime(until)}.` : 'The previous one ends.')
        printSecrets({ 'Signing secret of webhooks': data.webhookSecret })
      })
    })
}

function addTestEvent(partners: Command): void {
  const test = partners.command('test-event').description('Send a signed test.ping to the webhook URL of a partner.')
  test
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples(`partners test-event ${ID}`))
    .action(async (id: string) => {
      const sent = await call(test, 'send_test_event', { params: { id } })
      const { status, error } = sent
      answer(test, sent, () => say(`Delivery ${sent.id}: ${[sent.state, status, error].filter(Boolean).join(', ')}`))
      if (sent.state !== 'delivered') process.exitCode = 1
    })
}
