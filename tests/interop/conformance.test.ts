// The official conformance runners. Each has a list of expected failures: a runner fails when anything else fails, and when an expected
// failure passes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { signedUp } from '../harness/browser.ts'
import * as oauth from '../harness/oauth.ts'
import { freePort } from '../harness/service.ts'
import { use, useService } from '../harness/use.ts'
import { keyProxy } from './proxy.ts'
import { areToolsInstalled, endOfOutput, runTool } from './tools.ts'

const CURRENT = '@modelcontextprotocol/conformance/dist/index.js'
const NEXT = '@modelcontextprotocol/conformance-next/dist/index.js'
const initialize = 'expected-failures.initialize.yaml'
const OPENING = ['server-initialize', 'ping', 'tools-list']

// The scenarios that must have run and passed, so that a runner that skips them is noticed.
const RUNS = [
  {
    name: '0.1, 2025-06-18 and 2025-11-25',
    script: CURRENT,
    args: [],
    baseline: initialize,
    passing: [...OPENING, 'dns-rebinding-protection'],
  },
  {
    name: '0.2, 2025-06-18',
    script: NEXT,
    args: ['--spec-version', '2025-06-18'],
    baseline: initialize,
    passing: OPENING,
  },
  {
    name: '0.2, 2025-11-25',
    script: NEXT,
    args: ['--spec-version', '2025-11-25'],
    baseline: initialize,
    passing: [...OPENING, 'dns-rebinding-protection'],
  },
  {
    name: '0.2, 2026-07-28',
    script: NEXT,
    args: ['--spec-version', '2026-07-28'],
    baseline: 'expected-failures.2026-07-28.yaml',
    passing: ['tools-list', 'http-header-validation', 'dns-rebinding-protection', 'server-sse-multiple-streams'],
  },
]

describe.skipIf(!areToolsInstalled())('conformance runner, as a program that signs in', () => {
  const service = useService()

  test('authorization server', async () => {
    const port = String(await freePort())
    const clientId = await oauth.registered(service, { redirect_uris: [`http://127.0.0.1:${port}/callback`] })
    const browser = await signedUp(service)
    const results = mkdtempSync(join(tmpdir(), 'catalog-conformance-'))
    // Does what the user does at each address that the runner prints.
    const allow = async (printed: string) => {
      const page = new URL(printed)
      await fetch(oauth.locationOf(await oauth.decide(browser, page.pathname + page.search)))
    }
    const given = ['--url', service.origin, '--client-id', clientId, '--resource', `${service.origin}/mcp`]
    const args = ['authorization', ...given, '--port', port, '--output-dir', results]
    const ended = await runTool(NEXT, args, undefined, (line) => {
      if (line.includes('/oauth/authorize?')) void allow(line.trim())
    })
    rmSync(results, { recursive: true })
    expect(ended.code, endOfOutput(ended)).toBe(0)
  })
})

describe.skipIf(!areToolsInstalled())('conformance runner', () => {
  const service = useService()
  const proxy = use(async () => keyProxy(service.origin, (await service.newKey()).key))

  test.each(RUNS)('$name', async ({ script, args, baseline, passing }) => {
    const results = mkdtempSync(join(tmpdir(), 'catalog-conformance-'))
    const ended = await runTool(script, [
      ...['server', '--url', `${proxy.origin}/mcp`, '--suite', 'all'],
      ...['--expected-failures', new URL(baseline, import.meta.url).pathname],
      ...['--output-dir', results],
      ...args,
    ])
    rmSync(results, { recursive: true })
    expect(ended.code, endOfOutput(ended)).toBe(0)
    for (const scenario of passing)
      expect(ended.stdout).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
  })
})
