import {
  assessor,
  choosePlan,
  type PlanDirectory,
  type PlanInput,
  type ProposedPlan,
  traitsOf,
} from '../../src/features/plan/rules.ts'

/** The whole plan at once, without the pauses that the service makes for other requests. */
export function planOf(input: PlanInput, directories: readonly PlanDirectory[]): ProposedPlan {
  const assess = assessor(input)
  return choosePlan(
    input,
    directories.map((directory) => assess(traitsOf(directory))),
  )
}
