// @module-tag once
// The styleguide: only where it is switched on, and complete.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectSound } from '../harness/html.ts'
import { servedRoutes } from '../harness/routes.ts'
import { useService } from '../harness/use.ts'

const service = useService({ STYLEGUIDE: 'on' })

const PAGES = new URL('../../src/surfaces/pages/', import.meta.url)
const filesOf = (folder: string) =>
  readdirSync(new URL(folder, PAGES), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const textOf = (file: string) => readFileSync(new URL(file, PAGES), 'utf8')

test.each(['/styleguide', '/styleguide?scheme=light', '/styleguide?scheme=dark', '/styleguide?scheme=%22%3E'])(
  '%s is valid and not for search engines',
  async (path) => {
    const { status, headers, text } = await service.fetch(path)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(text).toContain('<meta name="robots" content="noindex">')
    await expectSound(text)
  },
)

test('exists only where it is switched on', async () => {
  expect((await servedRoutes()).filter(({ path }) => path.startsWith('/styleguide'))).toEqual([])
})

/** Files of the kit that make no markup to look at. */
const NO_COMPONENTS = /(^|\/)(actions|answers|declared-form|document|forms|markup|messages|private-pages|uploads)\.ts$/

/** Parts of other components. */
const PARTS = ['flashes', 'hiddenFields', 'keyboardHelpOf', 'listPageLinks', 'rowAction']

test('shows every component of the kit', () => {
  const shown = filesOf('styleguide/')
    .map((file) => textOf(`styleguide/${file}`))
    .join()
  const components = filesOf('kit/')
    .filter((file) => !NO_COMPONENTS.test(file))
    .flatMap((file) => [...textOf(`kit/${file}`).matchAll(/^export (?:const|function) ([a-z]\w+)[^\n]*/gm)])
    .filter(([line]) => line.includes('Markup') || !line.includes(': '))
    .map(([, name]) => name!)
  expect(components.length).toBeGreaterThan(30)
  expect(components.filter((name) => !PARTS.includes(name) && !new RegExp(`\\b${name}\\b`).test(shown))).toEqual([])
})
