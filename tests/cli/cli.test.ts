// The real command line against a real service.
// @module-tag long
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { until } from '../harness/process.ts'
import { ADMIN_TOKEN, freePort } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { useService } from '../harness/use.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const folder = temporaryFolder('cli')
const path = (name: string) => join(folder, name)
// Node spends most of a command's time on loading the sources, so all commands share one compile cache.
const NODE_COMPILE_CACHE = join(tmpdir(), 'catalog-test-compile-cache')

interface CommandResult {
  status: number | null
  out: string
  err: string
}

const service = useService()

function start(args: string[], environment: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: path('data'),
    CATALOG_URL: service.origin,
    ADMIN_TOKEN,
    NODE_COMPILE_CACHE,
    ...environment,
  }
  // The command runs in a folder of its own, so that it does not read a .env file beside the sources.
  return spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
}

/** Runs a command and expects that it prints neither the operator token nor a stack trace. */
async function catalog(
  args: string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Promise<CommandResult> {
  const child = start(args, options.env)
  child.stdin.end(options.input ?? '')
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  expect(out + err).not.toContain(options.env?.ADMIN_TOKEN || ADMIN_TOKEN)
  expect(err).not.toMatch(/^\s+at /m)
  return { status, out, err }
}

async function succeed(args: string[], input?: string): Promise<string> {
  const { status, out, err } = await catalog(args, { input })
  expect({ status, err: status === 0 ? '' : err }).toEqual({ status: 0, err: '' })
  return out
}

const json = async (...args: string[]) => JSON.parse(await succeed([...args, '--json']))

const lines = (...entries: object[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

test('the lists of an empty service say what to do next', async () => {
  const [keys, audit] = await Promise.all([succeed(['keys', 'list']), succeed(['audit', 'list'])])
  expect(keys).toBe('No keys yet. Make one with: catalog keys create --email you@example.com\n')
  expect(audit).toBe('Nothing was changed yet.\n')
})

describe('help', () => {
  test('names every command when catalog has no arguments', async () => {
    const [{ status, out }, noun, command] = await Promise.all([
      catalog([]),
      catalog(['keys']),
      catalog(['keys', 'create', '--help']),
    ])
    expect(status).toBe(0)
    const names =
      'serve keys partners users categories tags directory-categories tools directories import export audit backup restore move doctor'.split(
        ' ',
      )
    for (const name of names) expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
    expect(out).toContain('Examples:')
    expect({ status: noun.status, out: noun.out }).toEqual({ status: 2, out: '' })
    expect(noun.err).toContain('revoke <id>')
    expect(command.out).toMatch(/choices: "standard", "premium"/)
    expect(command.out).toContain('catalog keys create --email')
  })
})

describe.concurrent('commands for access', () => {
  test('create a key, list it without the key itself, and revoke it', async () => {
    const [out, made] = await Promise.all([
      succeed(['keys', 'create', '--email', 'ada@example.com', '--name', 'Laptop', '--plan', 'premium']),
      json('keys', 'create', '--email', 'bob@example.com'),
    ])
    const [, key] = /^ {2}(aid_\w+)$/m.exec(out)!
    const [, id] = /^Made key (\S+) for ada@example\.com, premium plan\.$/m.exec(out)!
    expect(out).toContain('It is shown only once')
    expect(made).toMatchObject({ owner: 'bob@example.com', plan: 'standard' })
    expect((await service.rest('/tools', { key })).status).toBe(200)

    // A name of an earlier release.
    await service.sql(`update keys set name = E'bad\\u001b[31m\\nname' where id = '${id}'`)
    const [table, page] = await Promise.all([succeed(['keys', 'list']), json('keys', 'list', '--limit', '1')])
    expect(table).toMatch(/^ID +ENDS IN +OWNER/)
    expect(table).toMatch(new RegExp(`^${id} .* bad\\\\u001b\\[31m\\\\nname$`, 'm'))
    expect(page).toHaveLength(1)
    expect(table + JSON.stringify(page)).not.toContain('aid_')

    expect(await succeed(['keys', 'revoke', id!])).toBe(`Revoked key ${id}.\n`)
    expect((await service.rest('/tools', { key })).status).toBe(401)
  })

  test('create a partner, list it without secrets, change it, and give it a new secret', async () => {
    const out = await succeed([
      'partners',
      'create',
      '--name',
      'Acme',
      '--contact-email',
      'a@acme.example',
      '--support',
      'hybrid',
    ])
    const [, secret] = /^ {2}(whsec_\S+)$/m.exec(out)!
    const [, id] = /^Made partner (\S+): Acme\./.exec(out)!
    expect(out).toMatch(/^ {2}aid_p_\w+$/m)
    expect(out).toContain('They are shown only once')

    const [list, rotated] = await Promise.all([
      succeed(['partners', 'list']),
      succeed(['partners', 'rotate-secret', id!]),
    ])
    expect(list).toMatch(new RegExp(`^${id} +Acme +hybrid +no`, 'm'))
    expect(list).not.toMatch(/whsec_|aid_/)
    expect(rotated).toMatch(/^ {2}whsec_\S+$/m)
    expect(rotated).not.toContain(secret!)

    const changed = await json('partners', 'change', id!, '--support', 'human', '--contact-email', '', '--ban')
    expect(changed).toMatchObject({ name: 'Acme', support: 'human', contactEmail: null, banned: true })
  })

  test('list users, show and change them by identifier or address, and promote them', async () => {
    await service.newKey('standard', 'carol@example.com')
    const changed = await json('users', 'change', 'Carol@example.com', '--plan', 'premium')
    expect(changed).toMatchObject({ email: 'carol@example.com', plan: 'premium', banned: false })
    expect(await json('users', 'show', 'Carol@example.com')).toEqual(changed)
    expect(await json('users', 'show', changed.id)).toEqual(changed)
    expect(await succeed(['users', 'change', changed.id, '--ban'])).toContain('premium plan, user, banned')
    expect(await succeed(['users', 'promote', 'carol@example.com'])).toContain('administrator')
    expect(await succeed(['users', 'list'])).toMatch(/carol@example\.com +premium +admin +yes/)
  })

  test('make a sign-in link for a user, and assign the user to a partner', async () => {
    await json('keys', 'create', '--email', 'dora@example.com')
    const said = await succeed(['users', 'link', 'Dora@example.com'])
    const [link] = /http:\S+\/link\?token=\S+/.exec(said)!
    expect(await (await fetch(link)).text()).toContain('dora@example.com')
    const partner = await service.newPartner()
    expect((await json('users', 'set', 'dora@example.com', '--partner', partner.id)).partnerId).toBe(partner.id)
    expect((await json('users', 'set', 'dora@example.com', '--partner', '')).partnerId).toBeNull()
  })
})

describe('commands for taxonomy and listings', () => {
  test('put and delete entries', async () => {
    writeFileSync(path('tool.json'), JSON.stringify({ name: 'Acme Writer', category: 'writing', tags: ['api'] }))
    const saved = await Promise.all([
      json('categories', 'put', 'writing', '--name', 'Writing', '--icon', '✍️', '--description', 'Text.', '--adult'),
      succeed(['tags', 'put', 'api', '--name', 'API']),
      succeed(['directory-categories', 'put', 'saas', '--name', 'SaaS']),
    ])
    expect(saved).toEqual([
      { slug: 'writing', name: 'Writing', icon: '✍️', description: 'Text.', adult: true, version: 1 },
      'Saved tag api: API.\n',
      'Saved directory category saas: SaaS.\n',
    ])
    const directory = JSON.stringify({ name: 'Launch List', categories: ['saas'], published: false })
    const [tool, listed] = await Promise.all([
      json('tools', 'put', 'acme-writer', '--file', path('tool.json')),
      succeed(['directories', 'put', 'launch-list', '--file', '-'], directory),
    ])
    expect(tool).toMatchObject({ slug: 'acme-writer', category: 'writing', tags: ['api'], published: true })
    expect(listed).toBe('Saved directory launch-list: Launch List (not published).\n')

    const asked = await catalog(['tools', 'delete', 'acme-writer'])
    expect(asked).toMatchObject({ status: 2, out: '', err: expect.stringContaining('add --yes') })
    const deleted = await Promise.all([
      succeed(['tools', 'delete', 'acme-writer', '--yes']),
      json('directories', 'delete', 'launch-list', '--yes'),
    ])
    expect(deleted).toEqual(['Deleted tool acme-writer.\n', { slug: 'launch-list' }])
  })
})

describe('import and export', () => {
  const taxonomy = lines({ kind: 'tag', slug: 'one', name: 'One' }, { kind: 'tag', slug: 'two', name: 'Two' })
  const tool = {
    kind: 'tool',
    slug: 'round-trip',
    name: 'Round "trip" é',
    tags: ['one'],
    founderEmail: 'x@example.com',
  }

  test('are inverse: importing an export changes nothing', async () => {
    writeFileSync(path('taxonomy.ndjson'), taxonomy.trimEnd())
    expect(await succeed(['import', path('taxonomy.ndjson'), '-'], lines(tool))).toBe('Imported 3 entries.\n')
    const { status, out, err } = await catalog(['export', path('all.ndjson')])
    expect({ status, out }).toEqual({ status: 0, out: '' })
    const first = readFileSync(path('all.ndjson'), 'utf8')
    expect(err).toMatch(new RegExp(`^Exported ${first.trim().split('\n').length} entries, .* to ${path('all.ndjson')}`))
    expect(first).toContain('"founderEmail":"x@example.com"')
    expect(statSync(path('all.ndjson')).mode & 0o777).toBe(0o600)
    await succeed(['import', path('all.ndjson')])
    expect(await succeed(['export'])).toBe(first)
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
  })

  test('name wrong lines by file and line, and then nothing is imported', async () => {
    writeFileSync(path('a.ndjson'), `${lines({ kind: 'tag', slug: 'kept', name: 'Kept' })}\n{"kind":"tag","slug":"x"}`)
    writeFileSync(path('b.ndjson'), 'nonsense\n')
    const both = await catalog(['import', path('a.ndjson'), path('b.ndjson')])
    expect(both).toMatchObject({ status: 1, out: '' })
    expect(both.err).toContain('Nothing was imported: 2 lines are wrong.')
    expect(both.err).toContain(`${path('a.ndjson')} line 3 (line 3 of all): name is required.`)
    expect(both.err).toContain(`${path('b.ndjson')} line 1 (line 4 of all): Not valid JSON`)
    expect((await service.fetch('/api/admin/export', { key: ADMIN_TOKEN })).text).not.toContain('"kept"')

    const skipped = await catalog(['import', path('a.ndjson'), '--skip-invalid'])
    expect(skipped).toMatchObject({ status: 0, out: 'Imported 1 entry, skipped 1 wrong line.\n' })
    expect(skipped.err).toBe(`${path('a.ndjson')} line 3: name is required.\n`)
  })

  test('leave no partial file and keep an older one when an export breaks or is interrupted', async () => {
    mkdirSync(path('out'))
    writeFileSync(path('out/old.ndjson'), 'old')
    const cut = await listen((response) => {
      response.write(taxonomy)
      setTimeout(() => response.destroy(), 50)
    })
    const endless = await listen((response) => response.write(taxonomy))
    const interrupted = async () => {
      const child = start(['export', path('out/new.ndjson')], { CATALOG_URL: endless.origin })
      const ended = new Promise((resolve) => child.on('close', (_status, signal) => resolve(signal)))
      const hasBegun = () => readdirSync(path('out')).some((name) => name.includes('new.ndjson'))
      await until(hasBegun)
      child.kill('SIGINT')
      return ended
    }
    const [broken, signal] = await Promise.all([
      catalog(['export', path('out/old.ndjson')], { env: { CATALOG_URL: cut.origin } }),
      interrupted(),
    ])
    expect(broken).toMatchObject({ status: 1, err: expect.stringContaining('broke before the answer was complete') })
    expect(signal).toBe('SIGINT')
    expect(readdirSync(path('out'))).toEqual(['old.ndjson'])
    expect(readFileSync(path('out/old.ndjson'), 'utf8')).toBe('old')
    for (const { server } of [cut, endless]) server.close().closeAllConnections()
  })
})

test('catalog audit lists the audit log, with or without the word list', async () => {
  await service.admin('PUT', '/tags/audited', { name: 'Audited' })
  expect(await succeed(['audit', '--limit', '1'])).toMatch(
    /^WHEN +WHO +WHAT +ON +DETAILS\n\d{4}-\d\d-\d\d \d\d:\d\d +operator +tag\.put +tag:audited +\{"created":true\}\n$/,
  )
  expect(await succeed(['audit', 'list', '--subject', 'tag:nothing'])).toBe('Nothing of that kind was changed.\n')
})

test('catalog tools and catalog tags list stored entries, publish, hide and delete them', async () => {
  await service.admin('PUT', '/tags/lonely', { name: 'Lonely' })
  await service.admin('PUT', '/tools/cli-draft', { name: 'Drafted', published: false })
  expect(await succeed(['tools', 'list', '--q', 'drafted', '--no-published'])).toContain('cli-draft')
  expect(await succeed(['tools', 'list', '--q', 'drafted', '--published'])).toBe('No such tool.\n')
  expect(await succeed(['tools', 'change', 'cli-draft', '--published'])).toBe('Changed tool cli-draft: published.\n')
  expect(JSON.parse(await succeed(['tools', 'get', 'cli-draft', '--json']))).toMatchObject({ published: true })
  await succeed(['tools', 'change', 'cli-draft', '--no-published'])
  expect(JSON.parse(await succeed(['tools', 'get', 'cli-draft', '--json']))).toMatchObject({ published: false })
  expect(await succeed(['tags', 'list', '--q', 'lonely'])).toMatch(/lonely +Lonely +0 +no/)
  expect(await succeed(['tags', 'delete', 'lonely'])).toBe('Deleted tag lonely.\n')
})

describe.concurrent('errors of the command line', () => {
  test('exit with 2 when the usage is wrong', async () => {
    const wrong = [
      ['keys', 'create', '--email', 'a@example.com', '--plan', 'gold'],
      ['keys', 'list', '--limit', '0'],
      ['users', 'change', 'a@example.com'],
      ['users', 'change', 'a@example.com', '--ban', '--unban'],
      ['nonsense'],
    ]
    const said = await Promise.all(wrong.map((args) => catalog(args)))
    expect(said.map(({ status, out }) => ({ status, out }))).toEqual(wrong.map(() => ({ status: 2, out: '' })))
    expect(said[0]!.err).toContain('Allowed choices are standard, premium.')
    expect(said[2]!.err).toContain('nothing to change was given')
  })

  test('exit with 1 when a file or the service is the cause, and say what to do', async () => {
    const unusedAddress = `http://127.0.0.1:${await freePort()}`
    mkdirSync(path('data'), { recursive: true })
    writeFileSync(path('data/admin-token'), 'not-the-operator-token\n')
    chmodSync(path('data/admin-token'), 0o600)
    const list = ['keys', 'list']
    const said = await Promise.all([
      catalog(list, { env: { ADMIN_TOKEN: 'a-wrong-operator-token' } }),
      catalog(list, { env: { ADMIN_TOKEN: '' } }),
      catalog(list, { env: { ADMIN_TOKEN: '', DATA_DIR: path('none') } }),
      catalog([...list, '--url', unusedAddress]),
      catalog(['users', 'promote', 'nobody@example.com']),
      catalog(['import', path('missing.ndjson')]),
      catalog(['tools', 'put', 'x', '--file', path('missing.json')]),
      catalog(['export', path('missing/all.ndjson')]),
    ])
    const because = [
      `refused the operator token from ADMIN_TOKEN: This operator token is not valid.`,
      `refused the operator token from ${path('data/admin-token')}:`,
      `No operator token: there is none in ${path('none/admin-token')}. Set ADMIN_TOKEN`,
      `Cannot reach ${unusedAddress} (connection refused). Is the service running? Start it with: npm start`,
      'There is no user nobody@example.com.',
      `Cannot read ${path('missing.ndjson')}: there is no such file or folder.`,
      `Cannot read ${path('missing.json')}: there is no such file or folder.`,
      `Cannot write ${path('missing/all.ndjson')}: there is no such file or folder.`,
    ]
    for (const [i, reason] of because.entries()) {
      expect(said[i]).toMatchObject({ status: 1, out: '', err: expect.stringContaining(reason) })
      expect(said[i]!.err.trim().split('\n')).toHaveLength(1)
    }
    expect(existsSync(path('none'))).toBe(false)
  })
})

/** Starts a server that begins an export and then answers as the test says. */
async function listen(
  answer: (response: import('node:http').ServerResponse) => void,
): Promise<{ server: Server; origin: string }> {
  const server = createServer((_request, response) => answer(response.writeHead(200)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
