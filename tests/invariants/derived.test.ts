// @module-tag once
// What is declared once reaches every place that needs it: a field that is forgotten somewhere is erased or dropped there.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getTableColumns } from 'drizzle-orm'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { directorySchema, LISTED_KINDS, toolSchema } from '../../src/features/catalog/schema.ts'
import { bodies } from '../../src/features/listings/schema.ts'
import { workSchema } from '../../src/features/submissions/read/read.schema.ts'
import { STATE_MEANINGS, STATES } from '../../src/features/submissions/rules.ts'
import { detailsOf, type SubmitBody, submitBody } from '../../src/features/submissions/schema.ts'
import { submissionDetails } from '../../src/features/submissions/tables.ts'
import { EVENTS } from '../../src/features/webhooks/schema.ts'
import { nullable, nullableObject, oneOf, stringMap } from '../../src/kernel/schema.ts'
import { fieldsIn, groupsOf, groupsWithAll } from '../../src/surfaces/pages/admin/listings/fields.ts'
import { bodyOfForm, formOfListing } from '../../src/surfaces/pages/admin/listings/values.ts'
import { otherFacts } from '../../src/surfaces/pages/site/listing/listing.ts'

describe('the form of a listing in the console', () => {
  // A save keeps the reason as it is, or sets it with the publication.
  const notInForm = new Set(['hiddenReason'])

  test.each(LISTED_KINDS)('has every field of a %s that administrators write', (kind) => {
    const expected = Object.keys(bodies[kind].properties).filter((name) => !notInForm.has(name))
    expect(
      fieldsIn(groupsOf(kind))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(expected.sort())
  })

  const body = Type.Object({
    name: Type.String(),
    launchYear: nullable(Type.Number({ description: 'Year of its launch.' })),
    motto: Type.String({ maxLength: 100 }),
    story: nullable(Type.String({ maxLength: 5000 })),
    isOpen: Type.Boolean(),
    isKnown: nullable(Type.Boolean()),
    size: oneOf(['small', 'large']),
    age: nullable(oneOf(['old', 'new'])),
    prizes: Type.Array(Type.String()),
    links: stringMap('Links.', {}),
    questions: Type.Array(Type.Object({ question: Type.String(), answer: Type.String() })),
    owner: nullableObject(Type.Object({ name: Type.String(), age: Type.Number() }), 'Owner.'),
    hiddenReason: Type.String(),
  })
  const groups = groupsWithAll([{ title: 'What it is', fields: [['name', 'Name', 'line']] }], body)

  test('shows a field without a place in the last group, with its name and description', () => {
    expect(groups.at(-1)!.title).toBe('More')
    expect(groups.at(-1)!.fields[0]).toMatchObject({
      name: 'launchYear',
      label: 'Launch year',
      hint: 'Year of its launch.',
      widget: 'number',
    })
    expect(fieldsIn(groups).map(({ name }) => name)).not.toContain('hiddenReason')
  })

  test.each([
    {
      name: 'Acme',
      launchYear: 2024,
      motto: 'Fast',
      story: 'One.\n\nTwo.',
      isOpen: true,
      isKnown: false,
      size: 'large',
      age: 'new',
      prizes: ['One', 'Two'],
      links: { x: 'https://x.com/acme' },
      questions: [{ question: 'Why?', answer: 'Because.' }],
      owner: { name: 'Ada', age: 40 },
    },
    {
      name: 'Acme',
      launchYear: null,
      motto: '',
      story: null,
      isOpen: false,
      isKnown: null,
      size: 'small',
      age: null,
      prizes: [],
      links: {},
      questions: [],
      owner: null,
    },
  ])('sends every value back as it was', (stored) => {
    const { body, problems } = bodyOfForm(groups, formOfListing(groups, stored), (term) => term)
    expect(body).toEqual(stored)
    expect(problems).toEqual({})
  })

  test('refuses text that is not the JSON it must be', () => {
    const { problems } = bodyOfForm(groups, { name: 'Acme', owner: '{' }, (term) => term)
    expect(problems).toEqual({ owner: 'Owner must be JSON.' })
  })
})

describe('what partners submit', () => {
  // The listing has another name for it, or it is not part of the listing.
  const elsewhere = new Map([
    ['faq', 'faqs of the listing'],
    ['slug', 'the slug of the listing'],
    ['paymentType', 'the package of the submission'],
  ])

  test('every field is stored: in the listing, in the details, or in a place that is named here', () => {
    const stored = new Set([...Object.keys(bodies.tool.properties), ...Object.keys(getTableColumns(submissionDetails))])
    const dropped = Object.keys(submitBody.properties).filter((name) => !stored.has(name) && !elsewhere.has(name))
    expect(dropped).toEqual([])
  })

  test('every detail has a column, is stored and is shown to administrators', () => {
    const columns = Object.keys(getTableColumns(submissionDetails)).filter((name) => name !== 'submissionId')
    expect(Object.keys(detailsOf({ affiliate: 'x' } as SubmitBody)).sort()).toEqual(columns.sort())
    expect(Object.keys(workSchema.properties.tool.properties)).toEqual(expect.arrayContaining(columns))
  })
})

describe('the page of a listing', () => {
  test('shows the fields that have no place of their own as facts', () => {
    const schema = Type.Object({
      name: Type.String(),
      launchYear: Type.Number(),
      isOpen: Type.Boolean(),
      prizes: Type.Array(Type.String()),
      motto: nullable(Type.String()),
    })
    const listing = { name: 'Acme', launchYear: 2024, isOpen: false, prizes: ['One', 'Two'], motto: null }
    expect(otherFacts(schema, listing, new Set(['name']))).toEqual([
      ['Launch year', '2,024'],
      ['Is open', 'No'],
      ['Prizes', 'One, Two'],
      ['Motto', null],
    ])
  })
})

describe('the shapes of listings', () => {
  test.each([toolSchema, directorySchema])('%# have updatedAt last, where the sitemap reads it', (schema) => {
    expect(Object.keys(schema.properties).at(-1)).toBe('updatedAt')
  })
})

describe('metrics', () => {
  const src = new URL('../../src/', import.meta.url)
  const named = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('metrics.ts'))
    .flatMap((path) => [...readFileSync(new URL(path, src), 'utf8').matchAll(/name: '(catalog_\w+)'/g)])
    .map(([, name]) => name!)

  test.each(named)('%s is named in docs/operating.md', (name) => {
    expect(readFileSync(new URL('../docs/operating.md', src), 'utf8')).toContain(`\`${name}\``)
  })
})

describe('webhooks', () => {
  test.each(Object.keys(EVENTS))('%s is described in docs/webhooks.md', (event) => {
    expect(readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')).toContain(event)
  })
})

describe('states of a submission', () => {
  test('have their meaning in the order of the work', () => {
    expect(Object.keys(STATE_MEANINGS)).toEqual(['WAITING', ...STATES])
  })
})

describe('docs/where.md', () => {
  const document = readFileSync(new URL('../../docs/where.md', import.meta.url), 'utf8')
  const table = document.split('## Usual changes and the files they touch')[1]!.split('\n## ')[0]!
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Change'))

  test('names more than twenty changes', () => {
    expect(rows).toHaveLength(23)
  })

  test('every file and folder that the table names exists', () => {
    const missing = [...table.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)]
      .map(([, path]) => path!)
      .filter((path) => !['src/', ''].some((at) => existsSync(new URL(`../../${at}${path}`, import.meta.url))))
    expect(missing).toEqual([])
  })
})
