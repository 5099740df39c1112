// Settings as digests, so that two processes compare them without showing the values, and the values of settings that several features know.
// Every command reads the settings, so this file imports nothing large.
import { createHash } from 'node:crypto'

export type SettingValues = Readonly<Record<string, string>>

/** The settings as JSON, by name; the text `null` for a setting that is not set. */
export const settingValues = (config: object): SettingValues =>
  Object.fromEntries(Object.entries(config).map(([name, value]) => [name, JSON.stringify(value ?? null)]))

/** The salt is new each time, so that a digest that was read once cannot be compared with a later one. */
const digestOf = (salt: string, name: string, value: string): string =>
  createHash('sha256')
    .update(JSON.stringify([salt, name, value]))
    .digest('hex')

export const digestsOf = (salt: string, values: SettingValues): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digestOf(salt, name, value)]))

/** The values of FOUNDERS: listings of founders wait for an administrator, are public at once unless suspicious, or are not taken. */
export const FOUNDER_MODES = ['review', 'open', 'off'] as const
export type FounderMode = (typeof FOUNDER_MODES)[number]

/** The values of SEARCH_LEARNING. What is learned from searches: also from what visitors open, only what is not found, or nothing. */
export const LEARNING = ['on', 'unfound', 'off'] as const
export type SearchLearning = (typeof LEARNING)[number]

/** The packages of directory work. `target`: how many directories the package promises. */
export const PACKAGES = {
  starter: { target: 30, label: 'Starter (30+ directories)' },
  pro: { target: 60, label: 'Pro (60+ directories)' },
  premium: { target: 100, label: 'Premium (100+ directories)' },
} as const
export type PaymentType = keyof typeof PACKAGES
export const PAYMENT_TYPES = Object.keys(PACKAGES) as [PaymentType, ...PaymentType[]]
