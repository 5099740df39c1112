// The settings that say for how many days each kind of row is kept, made from the table RETENTION.
import { RETENTION, RETENTION_KINDS, type RetentionKind } from '../features/retention/rules.ts'
import type { SettingReader } from './readers.ts'

// A hundred years.
const MOST_DAYS = 36_500

/** Whole days; 0 keeps for good. */
const days =
  (least: number): SettingReader<number> =>
  (value) => {
    const number = Number(value)
    if (!/^\d{1,5}$/.test(value) || (number !== 0 && number < least) || number > MOST_DAYS)
      throw new Error(`must be a whole number of days from ${least} to ${MOST_DAYS}, or 0 to keep for good`)
    return number
  }

interface DaysSetting {
  read: SettingReader<number>
  fallback: string
  sentence: string
  secret: boolean
}

export const RETENTION_SETTINGS = Object.fromEntries(
  RETENTION_KINDS.map((kind) => {
    const { setting, days: fallback, least, sentence } = RETENTION[kind]
    return [setting, { read: days(least), fallback: String(fallback), sentence, secret: false }]
  }),
) as { [Kind in RetentionKind as (typeof RETENTION)[Kind]['setting']]: DaysSetting }
