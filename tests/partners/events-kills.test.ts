// Events while two processes are killed and the database is cut off at random moments: a client that stores the cursor sees each once and
// in order. tests/with-servers.sh runs this file.
// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../packages/client/index.js'
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts'
import { type ServiceProcess, START_LIMIT_MS, spawnService, until } from '../harness/process.ts'
import { ADMIN_TOKEN, createDatabase, freePort } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG } from '../harness/submissions.ts'

const { TEST_DATABASE_URL } = process.env
const STEPS = ['kill 0', 'cut', 'client', 'kill 1', 'cut', 'kill 0', 'client', 'kill 1'] as const

describe.skipIf(!TEST_DATABASE_URL)('two processes on one PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let proxy: FaultProxy
  const environments: Record<string, string>[] = []
  const processes: ServiceProcess[] = []
  const start = async (at: number) => {
    const one = await spawnService(environments[at]!)
    processes[at] = one
    await one.ready()
  }

  beforeAll(async () => {
    database = await createDatabase(TEST_DATABASE_URL!)
    const { hostname: host, port } = new URL(TEST_DATABASE_URL!)
    proxy = await startFaultProxy({ host, port: Number(port) })
    const url = new URL(database.url)
    url.port = String(proxy.port)
    for (let at = 0; at < 2; at++)
      environments.push({
        DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-events-kills-')),
        DATABASE_URL: url.href,
        PORT: String(await freePort()),
        KEY_PEPPER: 'a pepper that both processes share, long enough',
        RATE_LIMIT_SCALE: '100',
      })
    await Promise.all([start(0), start(1)])
    const { status } = await fetch(`${processes[0]!.origin}/api/admin/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: SUBMISSION_CATALOG.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect(status).toBe(200)
  }, START_LIMIT_MS)
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.kill()))
    await proxy?.close()
    await database?.drop()
    for (const { DATA_DIR } of environments) rmSync(DATA_DIR!, { recursive: true, force: true })
  })

  test('the typed client sees each event once and in order, whatever is killed', async () => {
    const { key } = (await processes[0]!.call('/api/admin/partners', { method: 'POST', body: { name: 'Partner' } }))
      .body.data
    /** Asks the two in turn until one does it, as a client does that repeats what was not answered. */
    const insist = async (path: string, token: string | undefined, body: object, wanted: readonly number[]) => {
      let answer: any
      let at = 0
      await until(async () => {
        answer = await processes[at++ % 2]!.call(path, { method: 'POST', token, body }).catch(() => null)
        return wanted.includes(answer?.status)
      }, 120_000)
      return answer.body.data
    }
    const seen: string[] = []
    let stored: string | undefined
    let readers = 0
    let controller = new AbortController()
    const read = async () => {
      const baseUrl = processes[readers++ % 2]!.origin
      const client = createClient({ baseUrl, key, retries: 0 })
      const save = (cursor: string) => void (stored = cursor)
      const { signal } = controller
      for await (const { id } of client.events({ load: () => stored, save, pauseMs: 20, limit: 1, signal }))
        seen.push(id)
    }
    let reading = read()
    const changeReader = async () => {
      controller.abort()
      await reading
      controller = new AbortController()
      reading = read()
    }
    const finished: string[] = []
    for (const step of STEPS) {
      const work = async () => {
        for (let made = 0; made < 3; made++) {
          const tool = newTool({ paymentType: 'starter' })
          const { id } = await insist('/api/v1/submit-ai-tool', key, tool, [200, 201])
          // A second Done changes nothing, so it may be repeated.
          await insist(`/api/admin/submissions/${id}/done`, undefined, {}, [200])
          finished.push(id)
        }
      }
      const fault = async () => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
        if (step === 'client') return changeReader()
        if (step === 'cut') {
          await proxy.cut()
          await new Promise((resolve) => setTimeout(resolve, 500))
          return proxy.restore()
        }
        const at = Number(step.at(-1))
        await processes[at]!.kill()
        await start(at)
      }
      await Promise.all([work(), fault()])
    }
    await until(() => seen.length >= finished.length, 120_000)
    controller.abort()
    await reading
    const { data } = await createClient({ baseUrl: processes[0]!.origin, key }).listEvents()
    expect(data).toHaveLength(finished.length)
    expect(seen).toEqual(data.map(({ id }) => id))
  })
})
