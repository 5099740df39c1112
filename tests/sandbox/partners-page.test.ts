// Every command of docs/partners.md is run as it is written there, in its order.
// @module-tag slow
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../harness/process.ts'
import { directories } from '../harness/sandbox.ts'
import { ADMIN_TOKEN, freePort, startService, type TestService } from '../harness/service.ts'
import { putArticles, REFUNDS } from '../harness/support.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const page = readFileSync(`${ROOT}/docs/partners.md`, 'utf8')
const blocks = [...page.matchAll(/<!-- tested: (\w+) -->\n```sh\n([\s\S]*?)```/g)].map(([, name, text]) => ({
  name: name!,
  text: text!,
}))

let service: TestService
let receiver: ChildProcess | undefined
let received = ''
const variables: Record<string, string> = {}
beforeAll(async () => {
  service = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', SANDBOX_STEP_SECONDS: '0.2' })
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    ...directories(35),
  ])
  await putArticles(service, null, [REFUNDS])
  const port = String(await freePort())
  Object.assign(variables, { CATALOG_URL: service.origin, ADMIN_TOKEN, PORT: port })
  variables.WEBHOOK_URL = `http://127.0.0.1:${port}/`
})
afterAll(async () => {
  receiver?.kill()
  await service?.close()
})

/** The page names its own port and the installed command. */
const here = (text: string) =>
  text.replaceAll('4400', variables.PORT!).replaceAll('npx catalog', `${process.execPath} ${ROOT}/src/main.ts`)

const environment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...variables })

const run = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd: ROOT, env: environment(), timeout: 60_000 }
    execFile('bash', ['-euo', 'pipefail', '-c', here(text)], options, (error, out, err) =>
      error ? reject(new Error(`${text}\n${out}\n${err}`)) : resolve(out),
    )
  })

const afterRun: Record<string, (out: string) => Promise<void> | void> = {
  create(out) {
    const { id, key, webhookSecret, support } = JSON.parse(out)
    expect([key, support]).toEqual([expect.stringMatching(/^aid_p_/), 'hybrid'])
    Object.assign(variables, { PARTNER_ID: id, WEBHOOK_SECRET: webhookSecret })
  },
  key(out) {
    const { key, test } = JSON.parse(out)
    expect([key, test]).toEqual([expect.stringMatching(/^aid_test_/), true])
    variables.TEST_KEY = key
  },
  reads: (out) => expect(JSON.parse(out).data[0].slug).toBe('writing'),
  submit: (out) => expect(JSON.parse(out).data).toMatchObject({ submissionState: 'IN_QUEUE', created: true }),
  refused: (out) => expect(JSON.parse(out).error).toMatch(/website.*tagline.*founderEmail/s),
  status: (out) => expect(JSON.parse(out).data.tool.name).toBe('Acme Writer'),
  async poll() {
    await until(() => received.includes('directory_submissions.completed'), 5_000)
    expect(received).toContain("name: 'Acme Writer'")
  },
  waiting(out) {
    const [first, second] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data)
    expect([first.submissionState, second.submissionState, second.paymentStatus]).toEqual([null, 'IN_QUEUE', 'PRO'])
  },
  ask: (out) => expect(JSON.parse(out).data).toMatchObject({ status: 'pending', externalId: 'ticket-1' }),
  events: (out) =>
    expect(JSON.parse(out).data.map(({ event }: { event: string }) => event)).toContain(
      'directory_submissions.completed',
    ),
  list: (out) => expect(out).toMatch(/acme-writer .*DONE/),
  async conversation(out) {
    expect(JSON.parse(out).data[0].externalId).toBe('ticket-1')
    await until(() => received.includes('support.replied'), 5_000)
  },
}

test('every block of commands is marked and has its expectation', () => {
  expect(blocks.length).toBe(page.split('```sh').length - 1)
  expect(blocks.map(({ name }) => name).sort()).toEqual([...Object.keys(afterRun), 'receiver'].sort())
})

test('the commands do what the page says', async () => {
  for (const { name, text } of blocks) {
    if (name === 'receiver') {
      // `exec` makes the shell the receiver itself, so that it ends with its process.
      receiver = spawn('bash', ['-c', `exec ${here(text)}`], { cwd: ROOT, env: environment() })
      receiver.stdout!.on('data', (chunk) => (received += chunk))
      await until(() => isListening(variables.WEBHOOK_URL!), 20_000)
    } else await afterRun[name]!(await run(text))
  }
  // The page gives the numbers that hold.
  expect(page).toContain('deleted after 30 days')
}, 60_000)

const isListening = (url: string): Promise<boolean> =>
  fetch(url, { method: 'POST' }).then(
    () => true,
    () => false,
  )
