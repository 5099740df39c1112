// What happened to earlier products in a directory, as points and as reasons.

/** Counts every product except the one that the plan is for. */
export interface Outcomes {
  /** How many products have a listing on record. */
  accepted: number
  /** How many products the directory refused, as administrators recorded. */
  refused: number
  /** How many listings were there and are gone. */
  lost: number
  /** An administrator reported the directory dead after the last listing there. */
  isDead: boolean
}

// So many cases with the mean rate are added to the cases of a directory, so that one refusal changes the points little, and ten much.
const CASES_AT_MEAN = 4
/** The points are the difference between the rate and the mean times WEIGHT, but at most MAX_POINTS up or down. */
const WEIGHT = 40
const MAX_POINTS = 20

/** The share of all cases in which a product was accepted and stayed. One made-up success and failure keep it between 0 and 1. */
export function meanRate(all: Iterable<Outcomes>): number {
  let accepted = 1
  let cases = 2
  for (const outcomes of all) {
    accepted += outcomes.accepted
    cases += casesOf(outcomes)
  }
  return accepted / cases
}

/** The points for past outcomes in a directory; 0 without any case. `mean` is the rate of all directories. */
export function outcomePoints(outcomes: Outcomes | undefined, mean: number): number {
  if (!outcomes) return 0
  const rate = (outcomes.accepted + CASES_AT_MEAN * mean) / (casesOf(outcomes) + CASES_AT_MEAN)
  return Math.max(-MAX_POINTS, Math.min(MAX_POINTS, (rate - mean) * WEIGHT))
}

const casesOf = ({ accepted, refused, lost }: Outcomes): number => accepted + refused + lost

export function outcomeReason(outcomes: Outcomes | undefined): string[] {
  const cases = outcomes ? casesOf(outcomes) : 0
  if (!outcomes || cases === 0) return []
  const ofAll = `of ${cases} earlier ${cases === 1 ? 'product' : 'products'}`
  return [
    ...(outcomes.refused > 0 ? [`refused ${outcomes.refused} ${ofAll}`] : []),
    ...(outcomes.lost > 0 ? [`lost the listing of ${outcomes.lost} ${ofAll}`] : []),
    ...(outcomes.refused + outcomes.lost === 0 ? [`listed ${outcomes.accepted} ${ofAll}`] : []),
  ]
}
