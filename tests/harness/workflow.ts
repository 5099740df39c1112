// What an operator does with submissions over the operator API, for the tests of the workflow.
import { expect } from 'vitest'
import type { Reply, TestService } from './service.ts'
import { expectFailure } from './shapes.ts'
import { queue, submitted } from './submissions.ts'

export const WORKING = ['IN_QUEUE', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW']

interface Partner {
  id: string
  key: string
}

/** The service and the partner exist only when the tests run, so they are passed as functions. */
export const createWorkflow = (service: () => TestService, partner: () => Partner) => ({
  /** Makes a new submission and returns it as the queue shows it. */
  async work(more: Record<string, unknown> = { paymentType: 'starter' }, of = partner()): Promise<any> {
    const tool = await submitted(service(), of.key, more)
    return (await queue(service(), { client: of.id })).find(({ toolId }) => toolId === tool.id)
  },
  change: (id: string, body: object) => service().admin('PATCH', `/submissions/${id}`, body),
  done: (id: string, body: object = {}) => service().admin('POST', `/submissions/${id}/done`, body),
  record: (id: string, slug: string, body: object) =>
    service().admin('PUT', `/submissions/${id}/directories/${slug}`, body),
  itemOf: async (id: string, of = partner()) =>
    (await queue(service(), { client: of.id })).find((item) => item.id === id),
})

/** The error of a request that must be refused. */
export async function refused(answering: Promise<Reply>, status = 400): Promise<string> {
  const reply = await answering
  expect(reply.status, reply.text).toBe(status)
  return expectFailure(reply.body)
}
