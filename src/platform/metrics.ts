// Metrics for Prometheus. Requests are tallied by hand, because the library's way costs more than a hot read can spare; the library writes
// them, adds those of the process, and sums up several processes.
import cluster from 'node:cluster'
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { MetricSource, Metrics, Tally } from '../kernel/metrics.ts'

// Seconds. A read takes well below a millisecond, a picture or a model many seconds.
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetrics(sources: readonly MetricSource[]): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'catalog_' })
  const requests = new Map<string, Tally>()
  const decisions = new Map<string, Tally>()
  register(registry, {
    name: 'catalog_request_seconds',
    help: 'How long requests took, by surface and status.',
    type: 'histogram',
    values: () => [...requests.values()].flatMap(histogram),
  })
  register(registry, {
    name: 'catalog_limit_decisions_total',
    help: 'Calls that rate limits let through and refused, by bucket.',
    type: 'counter',
    values: () => [...decisions.values()].map(({ labels, sum }) => ({ labels, value: sum })),
  })
  for (const source of sources) addSource(registry, source)
  if (cluster.isWorker) {
    // From here on this process gives its share when it is asked.
    new AggregatorRegistry()
    AggregatorRegistry.setRegistries(registry)
  }

  return {
    request(surface, status, ms) {
      const key = `${surface} ${status}`
      let tally = requests.get(key)
      if (!tally) {
        // One a bound, and one for all above.
        tally = { labels: { surface, status: String(status) }, counts: BOUNDS.map(() => 0).concat(0), sum: 0 }
        requests.set(key, tally)
      }
      const seconds = ms / 1000
      let at = 0
      while (at < BOUNDS.length && seconds > BOUNDS[at]!) at++
      tally.counts[at]!++
      tally.sum += seconds
    },
    decision(bucket, allowed) {
      const key = allowed ? `${bucket} allowed` : `${bucket} refused`
      const found = decisions.get(key)
      if (found) found.sum++
      else decisions.set(key, { labels: { bucket, decision: allowed ? 'allowed' : 'refused' }, counts: [], sum: 1 })
    },
    text: () => registry.metrics(),
    leave() {
      const counts = { requests: [...requests.values()], decisions: [...decisions.values()] }
      requests.clear()
      decisions.clear()
      return counts
    },
    inherit(counts) {
      for (const tally of counts.requests) addTo(requests, tally)
      for (const tally of counts.decisions) addTo(decisions, tally)
    },
  }
}

function addTo(tallies: Map<string, Tally>, { labels, counts, sum }: Tally): void {
  const key = Object.values(labels).join(' ')
  const found = tallies.get(key)
  if (!found) return void tallies.set(key, { labels, counts, sum })
  found.counts = found.counts.map((count, i) => count + (counts[i] ?? 0))
  found.sum += sum
}

function histogram({ labels, counts, sum }: Tally) {
  let total = 0
  const buckets = counts.map((count, i) => ({
    metricName: 'catalog_request_seconds_bucket',
    labels: { ...labels, le: i < BOUNDS.length ? BOUNDS[i]! : '+Inf' },
    value: (total += count),
  }))
  return [
    ...buckets,
    { metricName: 'catalog_request_seconds_sum', labels, value: sum },
    { metricName: 'catalog_request_seconds_count', labels, value: total },
  ]
}

function register(
  registry: Registry,
  { values, ...metric }: { name: string; help: string; type: string; values(): unknown[] },
): void {
  const whole = { ...metric, aggregator: 'sum', get: async () => ({ ...metric, aggregator: 'sum', values: values() }) }
  registry.registerMetric(whole as never)
}

function addSource(registry: Registry, { name, help, labels = [], together = 'sum', read }: MetricSource): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    aggregator: together,
    async collect() {
      const values = await read()
      this.reset()
      for (const { value, labels = {} } of values) this.set(labels, value)
    },
  })
}
