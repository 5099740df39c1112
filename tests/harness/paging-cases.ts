// The paging rules of the specification as a table.

/** The effective limit for each input, given the default and the maximum. */
export const limitCases = (standard: number, maximum: number): [string, unknown, number][] => [
  ['missing', undefined, standard],
  ['zero', 0, standard],
  ['negative', -1, standard],
  ['non-numeric', 'abc', standard],
  ['not an integer', 2.7, standard],
  ['empty', '', standard],
  ['given twice', [3, 4], standard],
  ['text that is a number', '3', 3],
  ['one', 1, 1],
  ['the maximum', maximum, maximum],
  ['one over the maximum', maximum + 1, maximum],
  ['oversized', 100_000, maximum],
  ['oversized beyond any number type', '9'.repeat(400), maximum],
]

export const pageCases: [string, unknown, number][] = [
  ['missing', undefined, 1],
  ['zero', 0, 1],
  ['negative', -5, 1],
  ['non-numeric', 'abc', 1],
  ['not an integer', 1.5, 1],
  ['empty', '', 1],
  ['given twice', [2, 3], 1],
  ['text that is a number', '2', 2],
]
