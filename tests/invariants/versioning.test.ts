// @module-tag once
// Within v1 the OpenAPI document only grows: docs/versioning.md. The document of each release stays in tests/snapshots.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { VERSION } from '../../src/process/version.ts'
import { breakingChanges } from '../harness/openapi-growth.ts'

const FOLDER = new URL('../snapshots/', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))
const RELEASES = readdirSync(FOLDER).filter((name) => /^openapi-\d+\.\d+\.\d+\.json$/.test(name))

/** What was corrected all the same, with the reason. Each is in the changelog and in docs/versioning.md; no line is added for convenience. */
const UNBOUNDED =
  'A text or list without a bound could keep the service busy; the bounds are far above what products have.'
const CORRECTIONS: Record<string, Record<string, string>> = {
  'openapi-1.0.0.json': {
    'POST /submit-ai-tool body.founderEmail has a narrower pattern.':
      'Addresses that no mail server takes were accepted, and mail to them failed later.',
    'POST /submit-ai-tool body.socials has a narrower maxProperties.': UNBOUNDED,
    'POST /submit-ai-tool body.features has a narrower maxProperties.': UNBOUNDED,
    'POST /submit-ai-tool body.faq[].question has a narrower maxLength.': UNBOUNDED,
    'POST /submit-ai-tool body.faq[].answer has a narrower maxLength.': UNBOUNDED,
    'GET /ai-tools/status 200.data.submissions[].submittedBy may be null now.':
      'A row of a directory that the tool was not entered into said ADMIN, which was wrong. The specification names ADMIN or OWNER for rows that were submitted; those, and all rows of the event, never have null.',
  },
}

test('the document of every release is there', () =>
  expect(RELEASES).toEqual(expect.arrayContaining(['openapi-1.0.0.json', `openapi-${VERSION}.json`])))

test('every place names the version of package.json, and it is the newest release of the changelog', () => {
  const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const lock = JSON.parse(text('package-lock.json'))
  expect([lock.version, lock.packages[''].version, lock.packages['packages/client'].version]).toEqual(
    Array(3).fill(VERSION),
  )
  expect(JSON.parse(text('packages/client/package.json')).version).toBe(VERSION)
  for (const path of ['compose.yaml', 'deploy/kubernetes/catalog.yaml'])
    for (const [image] of text(path).matchAll(/catalog-service:\S+/g)) expect(image).toBe(`catalog-service:${VERSION}`)
  // Above it may be the changes of the next release.
  const [, first] = /^## (?!\d+\.\d+\.\d+ \(not released\)$)(.*)$/m.exec(text('CHANGELOG.md'))!
  expect(first).toMatch(new RegExp(`^${VERSION.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`))
})

test.each(RELEASES)('a client of %s notices nothing of the document of now', (name) => {
  const changes = breakingChanges(read(name), read('openapi.json'))
  expect(changes).toEqual(Object.keys(CORRECTIONS[name] ?? {}))
})

describe('the comparison finds', () => {
  type Document = ReturnType<typeof read>
  const tool = (document: Document) => document.components.schemas.Tool
  const parametersOf = (document: Document) => document.paths['/tools'].get.parameters
  const body = (document: Document) => document.components.schemas.NewTool
  test.each<[string, (document: Document) => unknown, string | null]>([
    ['a path that is gone', (it) => delete it.paths['/tools/top'], 'GET /tools/top is gone.'],
    ['a parameter that is gone', (it) => parametersOf(it).shift(), 'GET /tools takes no q any more.'],
    ['a parameter that is required', (it) => (parametersOf(it)[0].required = true), 'GET /tools requires q.'],
    [
      'a value that is refused',
      (it) =>
        parametersOf(it)
          .find((one: any) => one.name === 'pricing')
          .schema.enum.pop(),
      'GET /tools pricing may not be PAID any more.',
    ],
    [
      'a shorter bound',
      (it) => (body(it).properties.name.maxLength = 5),
      'POST /submit-ai-tool body.name has a narrower maxLength.',
    ],
    [
      'a field of the body that is required',
      (it) => body(it).required.push('location'),
      'POST /submit-ai-tool body requires location.',
    ],
    [
      'a field of the answer that is gone',
      (it) => delete tool(it).properties.tagline,
      'GET /tools 200.data[].tagline is gone.',
    ],
    [
      'a field of the answer that may be missing',
      (it) => tool(it).required.shift(),
      'GET /tools 200.data[].id may be missing now.',
    ],
    [
      'a field of the answer that may be null',
      (it) => (tool(it).properties.name.type = ['string', 'null']),
      'GET /tools 200.data[].name may be null now.',
    ],
    [
      'a new value of a list in an answer',
      (it) => tool(it).properties.pricing.enum.push('TRIAL'),
      'GET /tools 200.data[].pricing may be TRIAL now.',
    ],
    [
      'a header that is gone',
      (it) => delete it.paths['/tools'].get.responses[200].headers.ETag,
      'GET /tools 200 has no header ETag any more.',
    ],
    ['nothing in a new field', (it) => (tool(it).properties.added = { type: 'string' }), null],
    [
      'nothing in a new optional parameter',
      (it) => parametersOf(it).push({ name: 'x', in: 'query', required: false, schema: { type: 'string' } }),
      null,
    ],
    ['nothing in a new path', (it) => (it.paths['/new'] = it.paths['/tools']), null],
  ])('%s', (_, change, sentence) => {
    const next = read('openapi.json')
    change(next)
    const changes = breakingChanges(read('openapi.json'), next)
    if (sentence === null) expect(changes).toEqual([])
    else expect(changes).toContain(sentence)
  })
})
