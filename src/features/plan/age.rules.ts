// The age of a product, from a founding date that partners write as they like: 2024, 2024-03, 1 March 2024, Spring 2024, Q2 2024.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** The last month of each season and quarter; 0 is January. */
const PERIODS: ReadonlyMap<string, number> = new Map(
  Object.entries({ winter: 11, spring: 4, summer: 7, autumn: 10, fall: 10, q1: 2, q2: 5, q3: 8, q4: 11 }),
)

const MAX_CHARS = 100

/** Whole months from the founding to today, or null when the text names no year. For a vague date the latest possible month counts. */
export function ageInMonths(founded: string | null, today: Date): number | null {
  const text = (founded ?? '').slice(0, MAX_CHARS).toLowerCase()
  const year = /\b(19[5-9]\d|20\d\d)\b/.exec(text)?.[1]
  if (year === undefined) return null
  const month = monthIn(text)
  const now = today.getUTCFullYear() * 12 + today.getUTCMonth()
  return Math.max(0, now - Number(year) * 12 - month)
}

/** 0 is January; December when the text names no month. */
function monthIn(text: string): number {
  const numeric = /\b(?:19|20)\d\d[-/.](\d{1,2})\b|\b(\d{1,2})[-/.](?:19|20)\d\d\b/.exec(text)
  const number = Number(numeric?.[1] ?? numeric?.[2])
  if (number >= 1 && number <= 12) return number - 1
  for (const word of text.match(/[a-z][a-z0-9]*/g) ?? []) {
    const named = MONTHS.indexOf(word.slice(0, 3))
    // "mar" begins March and also "market": a longer word must be the month itself.
    if (named !== -1 && (word.length <= 4 || MONTH_NAMES.has(word))) return named
    const period = PERIODS.get(word)
    if (period !== undefined) return period
  }
  return 11
}

const MONTH_NAMES: ReadonlySet<string> = new Set(
  'january february march april june july august september october november december'.split(' '),
)
