import type { Limiter } from '../../kernel/caller.ts'
import type { Metrics } from '../../kernel/metrics.ts'

/** Wraps a limiter so that its decisions are counted in the metrics. An id begins with the name of its bucket. */
export function withMetrics(limiter: Limiter, metrics: Metrics): Limiter {
  return {
    peek: limiter.peek,
    charge(id, budgets, calls) {
      const bucket = id.slice(0, id.indexOf(':'))
      const decision = limiter.charge(id, budgets, calls)
      if (decision instanceof Promise)
        return decision.then((decided) => {
          metrics.decision(bucket, decided.allowed)
          return decided
        })
      metrics.decision(bucket, decision.allowed)
      return decision
    },
  }
}
