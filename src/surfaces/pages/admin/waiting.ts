// How much waits in sections of the console, for its menu. Every page asks, so the counts are kept for a few seconds.
import type { FastifyRequest } from 'fastify'
import { getWaiting } from '../../../features/overview/operations.ts'
import type { Service } from '../../http/service.ts'
import { performAs } from '../kit/private-pages.ts'

const KEPT_MS = 5000

type Counts = Readonly<Record<string, number>>

const kept = new WeakMap<Service, { until: number; counts: Promise<Counts> }>()

/** By the address of the section. Empty when they cannot be read: a page must not fail because of its menu. */
export function waitingCounts(service: Service, request: FastifyRequest): Promise<Counts> {
  const now = performance.now()
  const known = kept.get(service)
  if (known && now < known.until) return known.counts
  const counts = performAs(service, request, getWaiting, {}).then(
    ({ queue, inbox, lostLinks }): Counts => ({
      '/admin/submissions': queue,
      '/admin/support': inbox,
      '/admin/links': lostLinks,
    }),
    (): Counts => ({}),
  )
  kept.set(service, { until: now + KEPT_MS, counts })
  return counts
}
