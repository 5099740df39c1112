// The settings of this process, and the operation with which `catalog doctor` compares them with those of another process.
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { tooManyRequests } from '../../kernel/errors.ts'
import type { Feature } from '../../kernel/feature.ts'
import { operation } from '../../kernel/operation.ts'
import { stringType, titledObject } from '../../kernel/schema.ts'
import { digestsOf, type SettingValues, settingValues } from './rules.ts'

declare module '../../kernel/context.ts' {
  interface Context {
    /** The settings that this process was started with. */
    settings: SettingValues
  }
}

// A caller could guess a secret and learn whether the guess is right. So comparisons are slow: one after the other, each after a pause.
const PAUSE_MS = 100
const MAX_WAITING = 20
let lastTurn: Promise<unknown> = Promise.resolve()
let waiting = 0

const digestSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' }

export const compareSettings = operation({
  name: 'compare_settings',
  summary: 'Compare settings',
  description:
    'Says which settings of the running service differ from those of another process on the same installation. Both sides send and keep only digests with a salt, so no value is shown. `catalog doctor` uses it. It stores nothing.',
  group: 'Overview',
  access: 'operator',
  method: 'POST',
  path: '/settings/compare',
  body: titledObject('SettingDigests', 'The settings of the other process.', {
    salt: stringType('Random text, another one each time.', '5f0c0e6d8a9b4c7e', { minLength: 16, maxLength: 128 }),
    digests: Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 200,
      propertyNames: { maxLength: 100 },
      additionalProperties: digestSchema,
      description: 'By the name of each setting: SHA-256 of the JSON array of salt, name and value as JSON, in hex.',
      examples: [{ PORT: 'a'.repeat(64) }],
    }),
  }),
  data: titledObject('SettingDifferences', 'Names of settings, never values.', {
    different: Type.Array(Type.String(), {
      description: 'Settings that both know and that have another value.',
      examples: [['KEY_PEPPER']],
    }),
    unknown: Type.Array(Type.String(), {
      description: 'Settings that only one of the two knows, because it is of another version.',
      examples: [[]],
    }),
  }),
  failures: [400, 429],
  run: async (ctx, _input, { salt, digests }) => {
    if (waiting >= MAX_WAITING) throw tooManyRequests(Math.ceil((MAX_WAITING * PAUSE_MS) / 1000))
    waiting++
    const turn = lastTurn.then(() => sleep(PAUSE_MS))
    lastTurn = turn
    await turn
    waiting--
    const ownDigests = digestsOf(salt, ctx.settings)
    const names = [...new Set([...Object.keys(ownDigests), ...Object.keys(digests)])].sort()
    const isKnown = (name: string) => Object.hasOwn(ownDigests, name) && Object.hasOwn(digests, name)
    return {
      data: {
        different: names.filter((name) => isKnown(name) && ownDigests[name] !== digests[name]),
        unknown: names.filter((name) => !isKnown(name)),
      },
    }
  },
})

export const settingsFeature = {
  operatorOperations: [compareSettings],
  create: (parts) => ({ context: { settings: settingValues(parts.settings) } }),
} satisfies Feature
