// The commands of operations: each operation of the operator API has one, and a new operation gets one by its declaration alone.
// @module-tag once
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stripVTControlCharacters } from 'node:util'
import { Type } from 'typebox'
import { afterEach, expect, test, vi } from 'vitest'
import { operatorOperations } from '../../src/features.ts'
import { operation } from '../../src/kernel/operation.ts'
import { listPage } from '../../src/kernel/schema.ts'
import { addGroupCommands, addUndeclared, PERFORMED_ELSEWHERE } from '../../src/surfaces/cli/groups.ts'
import { createProgram, GROUP_NAMES } from '../../src/surfaces/cli/program.ts'

test('every operator operation is reached by exactly one command, or it is stated what performs it', () => {
  const reached = [...addGroupCommands(createProgram()), ...Object.keys(PERFORMED_ELSEWHERE)]
  // `users promote` is a second command of it.
  reached.splice(reached.indexOf('change_user'), 1)
  expect(reached.toSorted()).toEqual(operatorOperations.map(({ name }) => name).toSorted())
})

test('no option of an operation has the name of one that every command has', () => {
  const program = createProgram()
  addGroupCommands(program)
  const globals = program.options.map(({ long }) => long)
  const taken = program.commands.flatMap((group) =>
    group.commands.flatMap((command) => command.options.filter(({ long }) => globals.includes(long))),
  )
  expect(taken.map(({ flags }) => flags)).toEqual([])
})

test('every group is in the table of contents, so that help shows it without loading the operations', () => {
  const shown = createProgram().commands.map((command) => command.name())
  const program = createProgram()
  addGroupCommands(program)
  expect(program.commands.map((command) => command.name())).toEqual(shown)
  for (const name of GROUP_NAMES) {
    const group = program.commands.find((command) => command.name() === name)
    expect({ name, isEmpty: group?.commands.length === 0 }).toEqual({ name, isEmpty: name === 'overview' })
  }
})

const lamp = Type.Object(
  {
    id: Type.String({ description: 'Identifier.', examples: ['l1'] }),
    colour: Type.String({ description: 'Colour.', examples: ['red'] }),
    isOn: Type.Boolean({ description: 'Whether it is on.', examples: [true] }),
    rooms: Type.Array(Type.String(), { description: 'Rooms.', examples: [['hall']] }),
  },
  { description: 'A lamp.' },
)
const example = { id: 'l1', colour: 'red', isOn: true, rooms: ['hall'] }
const id = Type.String({ description: 'Identifier of the lamp.', examples: ['l1'] })
const declared = { description: 'For tests.', group: 'Lamps', access: 'operator', example } as const
const made = [
  operation({
    ...declared,
    name: 'list_lamps',
    summary: 'List lamps',
    method: 'GET',
    path: '/lamps',
    parameters: Type.Object({ colour: Type.Optional(Type.String({ description: 'Colour.' })), ...listPage }),
    data: Type.Array(lamp),
    run: () => ({ data: [example] }),
  }),
  operation({
    ...declared,
    name: 'get_lamp',
    summary: 'One lamp',
    method: 'GET',
    path: '/lamps/:id',
    parameters: Type.Object({ id }),
    data: lamp,
    run: () => ({ data: example }),
  }),
  operation({
    ...declared,
    name: 'change_lamp',
    summary: 'Change a lamp',
    method: 'PATCH',
    path: '/lamps/:id',
    parameters: Type.Object({ id, ifVersion: Type.Optional(Type.Integer({ description: 'Version.' })) }),
    body: Type.Object({ isOn: Type.Optional(Type.Boolean({ description: 'Whether it is on.' })) }),
    data: lamp,
    run: () => ({ data: example }),
  }),
  operation({
    ...declared,
    name: 'repair_lamp',
    summary: 'Repair a lamp',
    method: 'POST',
    path: '/lamps/:id/repair',
    parameters: Type.Object({ id }),
    data: lamp,
    run: () => ({ data: example }),
  }),
  operation({
    ...declared,
    name: 'delete_lamp_rooms',
    summary: 'Take a lamp out of a room',
    method: 'DELETE',
    path: '/lamps/:id/rooms/:room',
    parameters: Type.Object({ id, room: Type.String({ description: 'The room.' }) }),
    data: lamp,
    run: () => ({ data: example }),
  }),
]

afterEach(() => vi.restoreAllMocks())

/** Runs a command of the made-up operations against a server that answers with `data`. */
async function run(data: unknown, ...args: string[]): Promise<{ sent: string; out: string }> {
  let sent = ''
  const server = createServer(async (request, response) => {
    sent = `${request.method} ${request.url} `
    for await (const chunk of request) sent += chunk
    response.end(JSON.stringify({ success: true, data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  let out = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text
    return true
  })
  vi.stubEnv('ADMIN_TOKEN', 'x'.repeat(16))
  const program = createProgram()
  for (const one of made) addUndeclared(program, one)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await program.parseAsync(['node', 'catalog', '--url', url, ...args]).finally(() => server.close())
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  return { sent: sent.trim(), out: stripVTControlCharacters(out) }
}

test('an operation that no group declares gets a command by its method, path and schemas', () => {
  const program = createProgram()
  for (const one of made) addUndeclared(program, one)
  const lamps = program.commands.find((command) => command.name() === 'lamps')
  expect(lamps?.commands.map((command) => `${command.name()} ${command.usage()}: ${command.description()}`)).toEqual([
    'list [options]: List lamps.',
    'show [options] <id>: One lamp.',
    'change [options] <id>: Change a lamp.',
    'repair [options] <id>: Repair a lamp.',
    'delete-rooms [options] <id> <room>: Take a lamp out of a room.',
  ])
  const options = lamps?.commands.map((command) => command.options.map(({ long }) => long).join(' '))
  expect(options).toEqual(['--colour --limit --page', '', '--is-on --no-is-on --if-version', '', ''])
})

test('such a command sends what was given, and prints a list as a table and one thing as lines', async () => {
  expect(await run([example], 'lamps', 'list', '--colour', 'red', '--limit', '5')).toEqual({
    sent: 'GET /api/admin/lamps?colour=red&limit=5',
    out: 'ID  COLOUR  IS ON\nl1  red     yes\n',
  })
  expect((await run([], 'lamps', 'list')).out).toBe('Nothing yet.\n')
  expect(await run(example, 'lamps', 'show', 'l1')).toEqual({
    sent: 'GET /api/admin/lamps/l1',
    out: 'id: l1\ncolour: red\nisOn: yes\nrooms: ["hall"]\n',
  })
  expect(await run(example, 'lamps', 'change', 'l1', '--no-is-on', '--if-version', '3', '--json')).toEqual({
    sent: 'PATCH /api/admin/lamps/l1?ifVersion=3 {"isOn":false}',
    out: `${JSON.stringify(example)}\n`,
  })
  expect((await run(example, 'lamps', 'repair', 'l1')).sent).toBe('POST /api/admin/lamps/l1/repair')
  expect((await run(example, 'lamps', 'delete-rooms', 'l1', 'hall')).sent).toBe('DELETE /api/admin/lamps/l1/rooms/hall')
})
