// How much a word counts: by its rarity and its field.

/** Scores are counted in thousandths, so that sums do not depend on their order and all processes get the same ones. */
export const UNIT = 1000

// As if there were this many more documents without the word. In a catalog of ten listings, three with the word do not make it common.
const MORE_DOCUMENTS = 50

/** ln(1 + documents without a word / documents with it), in thousandths. */
export const rarityOf = (count: number, documents: number): number =>
  Math.round(UNIT * Math.log(1 + (documents + MORE_DOCUMENTS - count + 0.5) / (count + 0.5)))

/** What a hit counts by its field: name; tagline, category and tags; description. */
export const FIELD_WEIGHT = [2, 1, 0.7] as const
