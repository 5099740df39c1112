// The kinds of answers that questions ask for and passages give: a duration, a frequency, a price, a count, steps. They are compared like
// words; the `#` in front tells them from words.
const UNIT = '(?:second|minute|hour|day|week|month|quarter|year)s?'
const COUNT = '(?:\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|unlimited)'
const ANSWER_KINDS: readonly [kind: string, asks: RegExp, says: RegExp][] = [
  [
    '#duration',
    /\bhow (?:long|soon|fast|quickly|late|far in advance)\b|\bhow many (?:seconds|minutes|days|weeks|hours|months|years)\b|\bwhen (?:will|do|does|can|is|are)\b|\bexpir/i,
    new RegExp(
      `\\b${COUNT}[ -](?:(?:business|working|full|calendar) )?${UNIT}\\b|\\b(?:immediately|right away|at once|instantly|midnight)\\b`,
      'i',
    ),
  ],
  [
    '#frequency',
    /\bhow (?:often|frequently)\b/i,
    new RegExp(
      `\\b(?:every|each|per|once|twice|times) (?:a |${COUNT} )?${UNIT}\\b|\\b(?:daily|hourly|weekly|monthly|nightly|yearly)\\b`,
      'i',
    ),
  ],
  [
    '#price',
    /\bhow much\b|\b(?:price|cost|costs|fee|free)\b/i,
    /[$€£]\s?\d|\b(?:free|percent|no extra|no charge|included)\b|\d\s?%/i,
  ],
  [
    '#count',
    /\bhow (?:many|large|big)\b|\b(?:max(?:imum)?|minimum|min|limit|size|length)\b/i,
    new RegExp(`\\b${COUNT}\\b`, 'i'),
  ],
  [
    '#steps',
    /\bhow (?:do|can|could|should|would|to)\b|\bwhere (?:do|can|is|are)\b/i,
    /\b(?:click|choose|select|open|press|go to|turn (?:it )?on|tick|scan|under [A-Z]|enter|write to)\b|\b[A-Z]\w+ > [A-Z]/,
  ],
]

export const kindsAskedFor = (question: string): string[] =>
  ANSWER_KINDS.filter(([, asks]) => asks.test(question)).map(([kind]) => kind)
export const kindsGivenIn = (passage: string): string[] =>
  ANSWER_KINDS.filter(([, , says]) => says.test(passage)).map(([kind]) => kind)

export const isAnswerKind = (term: string): boolean => term.startsWith('#')
