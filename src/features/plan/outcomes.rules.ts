// What became of earlier products in a directory.

/** Of other products than the one of the plan. */
export interface Outcomes {
  /** A listing is on record. */
  accepted: number
  /** An administrator skipped the directory because it refused the product. */
  refused: number
  /** The listing was there and is gone. */
  lost: number
  /** It was reported dead after the last listing there. */
  isDead: boolean
}

// As many cases at the mean are added to those of a directory, so that a single refusal says little and ten say much.
const CASES_AT_MEAN = 4
const WEIGHT = 40
const MOST_POINTS = 20

/** The part of all cases in which a product was accepted and stayed. Two made-up cases keep it away from 0 and 1. */
export function meanRate(all: Iterable<Outcomes>): number {
  let accepted = 1
  let cases = 2
  for (const outcomes of all) {
    accepted += outcomes.accepted
    cases += casesOf(outcomes)
  }
  return accepted / cases
}

/** 0 without any case. */
export function outcomePoints(outcomes: Outcomes | undefined, mean: number): number {
  if (!outcomes) return 0
  const rate = (outcomes.accepted + CASES_AT_MEAN * mean) / (casesOf(outcomes) + CASES_AT_MEAN)
  return Math.max(-MOST_POINTS, Math.min(MOST_POINTS, (rate - mean) * WEIGHT))
}

const casesOf = ({ accepted, refused, lost }: Outcomes): number => accepted + refused + lost

export function outcomeReason(outcomes: Outcomes | undefined): string[] {
  const cases = outcomes ? casesOf(outcomes) : 0
  if (!outcomes || cases === 0) return []
  const of = `of ${cases} earlier ${cases === 1 ? 'product' : 'products'}`
  return [
    ...(outcomes.refused > 0 ? [`refused ${outcomes.refused} ${of}`] : []),
    ...(outcomes.lost > 0 ? [`lost the listing of ${outcomes.lost} ${of}`] : []),
    ...(outcomes.refused + outcomes.lost === 0 ? [`listed ${outcomes.accepted} ${of}`] : []),
  ]
}
