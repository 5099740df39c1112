// The audit log has the calls of agents that no tool saw; of those past a limit, the first of each window.
import { expect, test } from 'vitest'
import { refusedCallNotes } from '../../src/surfaces/mcp/operator-tools.ts'

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
