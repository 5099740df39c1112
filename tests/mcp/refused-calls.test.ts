// The audit log has the calls of agents that no tool saw; of those past a limit, the first of each window.
import { expect, test } from 'vitest'
import { refusedCallNotes } from '../../src/surfaces/mcp/operator-tools.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { call } from '../harness/mcp.ts'
import * as oauth from '../harness/oauth.ts'
import { startService } from '../harness/service.ts'

test('a flood past the limit is one entry in each window and for each agent, and unknown tools are all noted', async () => {
  const rows: any[] = []
  const db = { insert: () => ({ values: async (row: object) => void rows.push(row) }) }
  const as = (id: string): any => ({ caller: { id, label: `${id} via Agent` }, now: () => new Date(0), db })
  const until = (reset: number): any => ({ allowed: false, reset })
  const note = refusedCallNotes()
  for (let sent = 0; sent < 100; sent++) await note(as('ada'), 'get_overview', until(60))
  await note(as('bob'), 'get_overview', until(60))
  await note(as('ada'), 'get_overview', until(120))
  await note(as('ada'), `no\0 such${'x'.repeat(200)}`)
  expect(rows.map(({ actor, action, details }) => [actor, action, details.why])).toEqual([
    ['ada via Agent', 'agent.refused', 'past the limit'],
    ['bob via Agent', 'agent.refused', 'past the limit'],
    ['ada via Agent', 'agent.refused', 'past the limit'],
    ['ada via Agent', 'agent.refused', 'unknown tool'],
  ])
  expect(rows[0].subject).toBe('agent-tool:get_overview')
  expect(rows[3].subject).toMatch(/^agent-tool:no\?\?suchx{92}$/)
})

test('the first call past the limit is a 429 with one entry, and so is a batch', async () => {
  // A fifth of the limits: 48 calls a minute for a program that an administrator allowed.
  const service = await startService({ RATE_LIMIT_SCALE: '0.2' })
  const admin = await signedUpAdmin(service)
  const resource = `${service.origin}/mcp/operator`
  const clientId = await oauth.registered(service)
  const proof = oauth.newProof()
  const path = oauth.authorizePath(service, clientId, proof, { scope: 'operator', resource })
  const code = oauth.locationOf(await oauth.decide(admin, path, 'allow', { operator: 'true' })).searchParams.get('code')
  const asked = { browser: admin, clientId, proof, code: code ?? '', redirectUri: oauth.REDIRECT }
  const { access_token: key } = (await oauth.exchange(service, oauth.codeForm(asked))).body
  const send = (body: unknown) => service.fetch('/mcp/operator', { method: 'POST', key, body })
  const unknown = (calls: number) => Array.from({ length: calls }, () => call('none'))
  const past = async () => {
    const entries = (await service.admin('GET', '/audit?action=agent.refused&limit=1000')).body.data
    return entries.filter(({ details }: any) => details.why === 'past the limit')
  }
  for (const calls of [10, 10, 10, 10, 8]) expect((await send(unknown(calls))).status).toBe(200)
  expect(await past()).toEqual([])
  for (const body of [call('get_overview'), call('get_overview'), unknown(2)]) {
    const { status, headers } = await send(body)
    expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect(await past()).toMatchObject([
      {
        actor: `${admin.email} via Test Agent`,
        subject: 'agent-tool:get_overview',
        details: { why: 'past the limit' },
      },
    ])
  }
  await service.close()
})
