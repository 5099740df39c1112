// Events while the service and the client are stopped at random moments: a client that stores the cursor sees each once and in order.
// @module-tag slow

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../packages/client/index.js'
import { until } from '../harness/process.ts'
import { createDatabase, freePort, startService, type TestService } from '../harness/service.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { copyTemplate, templateOn } from '../harness/template.ts'
import { createWorkflow } from '../harness/workflow.ts'

let service: TestService
let environment: Record<string, string>
let database: Awaited<ReturnType<typeof createDatabase>> | null
beforeAll(async () => {
  const server = process.env.TEST_DATABASE_URL
  database = server ? await createDatabase(server, await templateOn(server)) : null
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-events-'))
  if (!database) await copyTemplate(DATA_DIR)
  environment = { PORT: String(await freePort()), DATA_DIR, ...(database ? { DATABASE_URL: database.url } : {}) }
  service = await startService(environment)
  await service.load(SUBMISSION_CATALOG)
})
afterAll(async () => {
  await service.close()
  await database?.drop()
  rmSync(environment.DATA_DIR!, { recursive: true, force: true })
})

test('the typed client goes on after restarts of the service and of itself', async () => {
  const step = fc.constantFrom('event', 'event', 'event', 'restart service', 'restart client')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 12 }), async (steps) => {
      const partner = await service.newPartner()
      const workflow = createWorkflow(
        () => service,
        () => partner,
      )
      const seen: string[] = []
      let stored: string | undefined
      let controller = new AbortController()
      let reading: Promise<void>
      const read = async () => {
        const client = createClient({ baseUrl: service.origin, key: partner.key, retries: 0 })
        const { signal } = controller
        const save = (cursor: string) => void (stored = cursor)
        for await (const { id } of client.events({ load: () => stored, save, pauseMs: 20, limit: 1, signal }))
          seen.push(id)
      }
      reading = read()
      let made = 0
      for (const one of steps) {
        if (one === 'event') {
          const { id } = await workflow.work({ paymentType: 'starter' })
          expect((await workflow.done(id)).status).toBe(200)
          made++
        } else if (one === 'restart service') {
          await service.close()
          service = await startService(environment)
        } else {
          controller.abort()
          await reading
          controller = new AbortController()
          reading = read()
        }
      }
      await until(() => seen.length >= made)
      controller.abort()
      await reading
      const { data } = await createClient({ baseUrl: service.origin, key: partner.key }).listEvents()
      expect(data).toHaveLength(made)
      expect(seen).toEqual(data.map(({ id }) => id))
    }),
    { numRuns: 5 },
  )
})
