// Metrics for Prometheus. Requests are counted without prom-client, because its counters are too slow for the fastest reads. prom-client
// writes the text, adds the metrics of the process, and sums up several processes. Each feature declares its own metrics in `feature.ts`;
// those of the database and of its jobs are here.
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Limiter } from '../kernel/caller.ts'
import {
  countsOfRows,
  type LabelledCounts,
  type MetricQuery,
  type MetricSource,
  type Metrics,
} from '../kernel/interfaces/metrics.ts'

// Bounds of the histogram, in seconds. A read takes well below a millisecond; a picture or a language model takes many seconds.
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

// Removed: gauges with the ending of counters, which metric linters refuse. The metric without _total, summed over its label, is the same.
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

// The first answer waits this long, so that it contains measurements of the event loop too.
const FIRST_MEASURES_MS = 25

export function createMetrics(sources: readonly MetricSource[]): Metrics {
  const registry = new Registry()
  let collecting: Promise<void> | undefined
  const requests = new Map<string, LabelledCounts>()
  const decisions = new Map<string, LabelledCounts>()
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
    // Creating it makes this process answer when the first process asks for its metrics.
    new AggregatorRegistry()
    AggregatorRegistry.setRegistries(registry)
    void (collecting ??= collectOwn(registry))
  }

  return {
    request(surface, status, ms) {
      const key = `${surface} ${status}`
      let entry = requests.get(key)
      if (!entry) {
        // One count for each bound, and one for everything above.
        entry = { labels: { surface, status: String(status) }, counts: BOUNDS.map(() => 0).concat(0), sum: 0 }
        requests.set(key, entry)
      }
      const seconds = ms / 1000
      let at = 0
      for (const bound of BOUNDS) {
        if (seconds <= bound) break
        at++
      }
      entry.counts[at] = (entry.counts[at] ?? 0) + 1
      entry.sum += seconds
    },
    decision(bucket, allowed) {
      const key = allowed ? `${bucket} allowed` : `${bucket} refused`
      const found = decisions.get(key)
      if (found) found.sum++
      else decisions.set(key, { labels: { bucket, decision: allowed ? 'allowed' : 'refused' }, counts: [], sum: 1 })
    },
    async text() {
      await (collecting ??= collectOwn(registry))
      return registry.metrics()
    },
    takeCounts() {
      const counts = { requests: [...requests.values()], decisions: [...decisions.values()] }
      requests.clear()
      decisions.clear()
      return counts
    },
    addCounts(counts) {
      for (const entry of counts.requests) addTo(requests, entry)
      for (const entry of counts.decisions) addTo(decisions, entry)
    },
  }
}

/**
 * The metrics of the process, under the names that every dashboard for Node knows. They begin with the first request for metrics: the
 * event loop is measured a hundred times a second, which no idle service should pay for.
 */
async function collectOwn(registry: Registry): Promise<void> {
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  await sleep(FIRST_MEASURES_MS)
}

function addTo(all: Map<string, LabelledCounts>, { labels, counts, sum }: LabelledCounts): void {
  const key = Object.values(labels).join(' ')
  const found = all.get(key)
  if (!found) return void all.set(key, { labels, counts, sum })
  found.counts = found.counts.map((count, i) => count + (counts[i] ?? 0))
  found.sum += sum
}

function histogram({ labels, counts, sum }: LabelledCounts) {
  let total = 0
  const buckets = counts.map((count, i) => ({
    metricName: 'catalog_request_seconds_bucket',
    labels: { ...labels, le: BOUNDS[i] ?? '+Inf' },
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
  // The type asks for a class of prom-client, which calls only `get` of it.
  registry.registerMetric(whole as never)
}

function addSource(registry: Registry, { name, help, labels = [], combine = 'sum', read }: MetricSource): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    aggregator: combine,
    async collect() {
      const values = await read()
      this.reset()
      for (const { value, labels = {} } of values) this.set(labels, value)
    },
  })
}

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

export const databaseMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_database_up',
    help: '1 while the database answers.',
    combine: 'min',
    read: async () => [
      {
        value: await query('select 1').then(
          () => 1,
          () => 0,
        ),
      },
    ],
  },
  {
    name: 'catalog_jobs',
    help: 'Background jobs by queue and state.',
    labels: ['queue', 'state'],
    combine: 'max',
    read: countsOfRows(query, 'select name as queue, state, count(*) as value from jobs.job group by 1, 2', [
      'queue',
      'state',
    ]),
  },
]
