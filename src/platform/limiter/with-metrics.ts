import type { Limiter } from '../../kernel/caller.ts'
import type { Metrics } from '../../kernel/metrics.ts'

/** Wraps a limiter so that its decisions are counted in the metrics. */
export function withMetrics(limiter: Limiter, metrics: Metrics): Limiter {
  return {
    peek: limiter.peek,
    charge(id, budgets, calls) {
      const decision = limiter.charge(id, budgets, calls)
      if (decision instanceof Promise)
        return decision.then((decided) => {
          metrics.decision(decided.bucket, decided.allowed)
          return decided
        })
      metrics.decision(decision.bucket, decision.allowed)
      return decision
    },
  }
}
