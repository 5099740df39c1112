// What every command does alike: the version, errors as JSON, completion in a shell, and a Node that is too old. No service is needed.
// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { VERSION } from '../../src/process/version.ts'
import { catalog } from '../harness/command.ts'

test('--version prints the version', async () => {
  expect(await catalog(['--version'], {})).toEqual({ status: 0, out: `${VERSION}\n`, err: '' })
})

test('with --json an error is one line of JSON on standard error', async () => {
  const unreachable = { CATALOG_URL: 'http://127.0.0.1:1', ADMIN_TOKEN: 'x'.repeat(16) }
  const failed = await catalog(['keys', 'list', '--json'], unreachable)
  expect([failed.status, failed.out]).toEqual([1, ''])
  expect(JSON.parse(failed.err).error).toContain('http://127.0.0.1:1')
  const misused = await catalog(['keys', 'nothing', '--json'], unreachable)
  expect([misused.status, misused.out]).toEqual([2, ''])
  expect(JSON.parse(misused.err).error).toContain('nothing')
})

test('bash completes commands and options', async () => {
  const { out } = await catalog(['completion', 'bash'], {})
  const complete = (...words: string[]) => {
    const list = ['catalog', ...words].map((word) => `'${word}'`).join(' ')
    const script = `${out}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length}; _catalog; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
  }
  expect(complete('back')).toEqual(['backup'])
  expect(complete('keys', 'cr')).toEqual(['create'])
  expect(complete('keys', 'create', '--em')).toEqual(['--email'])
  expect(complete('--json', 'import', '--unk')).toEqual(['--unknown-terms'])
  for (const shell of ['zsh', 'fish'])
    expect((await catalog(['completion', shell], {})).out).toContain('submissions plan')
})

const OLD = '/usr/bin/node'
const version = existsSync(OLD) ? execFileSync(OLD, ['--version'], { encoding: 'utf8' }).trim() : 'v99'
test.skipIf(Number.parseInt(version.slice(1), 10) >= 24)(
  'a Node that is too old says so in one sentence (skipped where that of the system is new)',
  () => {
    const script = new URL('../../src/catalog.mjs', import.meta.url).pathname
    const { status, stderr, stdout } = spawnSync(OLD, [script, 'serve'], { encoding: 'utf8' })
    expect([status, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1])
    expect(stderr).toContain(`needs Node 24 or newer; this is ${version}`)
  },
)
