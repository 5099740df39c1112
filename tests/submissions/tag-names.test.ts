// Two tags are the same only if their names are, without case and blanks around; a submission and a partner make a bounded number of tags.
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { propertyRuns } from '../harness/property-runs.ts'
import { newTool, submit, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }])
  key = (await service.newPartner()).key
})

interface Tag {
  slug: string
  name: string
}

const tagsOf = async (tags: string[], by = key): Promise<Tag[]> => (await submitted(service, by, { tags })).tags
const names = (tags: Tag[]) => tags.map(({ name }) => name)

describe('two tags are the same only if their names are', () => {
  test.each([[['C++', 'C#', 'C']], [['AI 写作', 'AI 绘画', 'AI']], [['.NET', 'Net']]])(
    '%j are as many tags with different slugs',
    async (written) => {
      const tags = await tagsOf(written)
      expect(names(tags)).toEqual(written)
      expect(new Set(tags.map(({ slug }) => slug)).size).toBe(written.length)
      const other = (await service.newPartner()).key
      expect(await tagsOf(written.toReversed(), other)).toEqual(tags.toReversed())
      expect(
        await tagsOf(
          written.map((name) => ` ${name.toLowerCase()} `),
          other,
        ),
      ).toEqual(tags)
    },
  )

  test('a text that is the slug of a tag means it, unless a tag has that name', async () => {
    const [plus] = await tagsOf(['D++'])
    expect(await tagsOf(['d'])).toEqual([plus])
    const [letter] = await tagsOf(['D'])
    expect(letter).toEqual({ slug: 'd-2', name: 'D' })
    expect(await tagsOf(['d'])).toEqual([letter])
    expect((await service.rest('/tags?q=d%2B%2B')).body.data).toContainEqual({ ...plus, toolsCount: 2 })
  })

  test('a tag that no reader sees neither gives its name nor tells that it has the slug', async () => {
    const tool = await submitted(service, key, { tags: ['Zq C++'] })
    await service.admin('PATCH', `/tools/${tool.slug}`, { published: false })
    const other = (await service.newPartner()).key
    expect(await tagsOf(['Zq C#'], other)).toEqual([{ slug: 'zq-c', name: 'Zq C#' }])
    await service.admin('PATCH', `/tools/${tool.slug}`, { published: true })
    expect((await service.rest(`/tools/${tool.slug}`)).body.data.tags).toEqual([{ slug: 'zq-c-2', name: 'Zq C++' }])
  })

  test('a tag of an older version, which has no key, is found by its name', async () => {
    await service.sql(`insert into tags (slug, name, adult) values ('old-one', 'Ältere ΟΔΥΣΣΕΥΣ', false)`)
    expect(await tagsOf(['äLTERE οδυσσευς'])).toEqual([{ slug: 'old-one', name: 'Ältere ΟΔΥΣΣΕΥΣ' }])
  })

  test('of two tags that operators gave one name, submissions always take the same', async () => {
    await service.load([
      { kind: 'tag', slug: 'twin-b', name: 'Twin' },
      { kind: 'tag', slug: 'twin-a', name: 'TWIN' },
    ])
    for (const text of ['twin', 'Twin']) expect(await tagsOf([text])).toEqual([{ slug: 'twin-a', name: 'TWIN' }])
    expect(await tagsOf(['twin-b'])).toEqual([{ slug: 'twin-b', name: 'Twin' }])
  })

  test('submissions of several partners at once that name the same new tags make one of each', async () => {
    const partners = await Promise.all(Array.from({ length: 6 }, () => service.newPartner()))
    const written = ['Vq++', 'Vq#', 'Vq', 'vQ 写作', 'Straße Vq']
    const replies = await Promise.all(
      partners.map(({ key }, at) =>
        submit(
          service,
          key,
          newTool({ tags: at % 2 ? written.toReversed() : written.map((name) => name.toUpperCase()) }),
        ),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(201))
    const slugs = new Set(replies.flatMap(({ body }) => body.data.tags.map((tag: Tag) => tag.slug)))
    expect(slugs.size).toBe(5)
    const stored = await service.sql(`select slug from tags where slug like '%vq%'`)
    expect(stored.map(({ slug }) => slug).sort()).toEqual([...slugs].sort())
  })
})

test('of any names, the same ones and only those have the same slug, which is valid and stays', async () => {
  const PARTS = [
    'a',
    'B',
    'É',
    'ß',
    'ẞ',
    'Σ',
    'ς',
    'İ',
    '写',
    '作',
    'ж',
    '+',
    '#',
    '.',
    '🦉',
    '👩‍💻',
    'ש',
    'ر',
    ' ',
    '-',
    '2',
    'e\u0301',
  ]
  const slugOf = new Map<string, string>()
  const keyOf = (name: string) => name.trim().toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
  const name = fc
    .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''))
    .filter((text) => /[\p{L}\p{N}]/u.test(text))
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 5, selector: keyOf }), async (given) => {
      // A partner of its own, so that no limit of tags is reached.
      const tags = await tagsOf(given, (await service.newPartner()).key)
      // A text may also be the slug of a tag that exists.
      const isSlug = (text: string) => [...slugOf.values()].includes(text)
      for (const text of given.filter((one) => !isSlug(one.trim()))) {
        const tag = tags.find((one) => keyOf(one.name) === keyOf(text))
        expect(tag?.slug, text).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(slugOf.get(keyOf(text)) ?? tag?.slug).toBe(tag?.slug)
        slugOf.set(keyOf(text), tag?.slug ?? '')
      }
      expect(new Set(slugOf.values()).size).toBe(slugOf.size)
    }),
    { numRuns: propertyRuns(40) },
  )
})

describe('a submission makes at most 5 new tags, a partner at most 200 that no operator has confirmed', () => {
  const fresh = (count: number, of = 'lim') => Array.from({ length: count }, (_, at) => `${of} ${at}`)

  test('five new tags beside tags that exist are made, six are refused', async () => {
    expect(await tagsOf([...fresh(5), 'C++', 'AI'])).toHaveLength(7)
    const { status, body } = await submit(service, key, newTool({ tags: [...fresh(5), ...fresh(6, 'six')] }))
    expect([status, body.error]).toEqual([
      400,
      'tags has 6 that do not exist, and a submission may make at most 5. Leave some out, or name tags that exist (GET /tags lists them).',
    ])
    expect((await service.rest('/tags?q=six')).body.data).toEqual([])
  })

  test('at 200 the partner names tags that exist, until an operator confirms one', async () => {
    const { id, key } = await service.newPartner()
    await service.sql(
      `insert into tags (slug, name, name_key, adult, submitted, submitted_by)
       select 'bulk-' || n, 'bulk ' || n, 'bulk ' || n, false, true, '${id}' from generate_series(1, 198) n`,
    )
    expect(await tagsOf(fresh(2, 'last'), key)).toHaveLength(2)
    const refused = await submit(service, key, newTool({ tags: ['C++', 'One More'] }))
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'tags would make 1 new tag, but a client may have at most 200 that no operator has confirmed. Name tags that exist (GET /tags lists them), or ask the operator to confirm yours.',
    ])
    expect(await tagsOf(['C++', 'last 1'], key)).toHaveLength(2)
    expect(await tagsOf(['One More'], (await service.newPartner()).key)).toHaveLength(1)
    await service.admin('PUT', '/tags/last-0', { name: 'last 0' })
    expect(await tagsOf(['Two More'], key)).toHaveLength(1)
    // An import of an export, which says that a submission made it, confirms nothing.
    await service.load([{ kind: 'tag', slug: 'last-1', name: 'last 1', submitted: true }])
    expect((await submit(service, key, newTool({ tags: ['Three More'] }))).status).toBe(400)
    await service.load([{ kind: 'tag', slug: 'last-1', name: 'last 1' }])
    expect(await tagsOf(['Three More'], key)).toHaveLength(1)
  })

  test('a retry makes none, so its hidden tags do not count', async () => {
    const tool = newTool({ tags: fresh(5, 'retry') })
    const first = await submit(service, key, tool)
    const { slug } = first.body.data
    // As 1.1 stored it, which had no limit.
    await service.load([{ kind: 'tag', slug: 'retry-sixth', name: 'retry sixth', submitted: true }])
    const { data } = (await service.admin('GET', `/tools/${slug}`)).body
    await service.admin('PATCH', `/tools/${slug}`, { tags: [...data.tags, 'retry-sixth'], published: false })
    await service.settled()
    const again = await submit(service, key, { ...tool, tags: [...fresh(5, 'retry'), 'retry sixth'] })
    expect([again.status, again.body.error]).toEqual([200, undefined])
    const other = await submit(service, key, newTool({ tags: [...fresh(5, 'retry'), 'retry sixth'], category: '?' }))
    expect(other.body.error).toMatch(/category .* does not exist.*tags has 6 that do not exist/)
  })

  test('a test key makes none', async () => {
    const { id } = await service.newPartner()
    const { key } = (await service.admin('POST', `/partners/${id}/keys`, { test: true })).body.data
    const before = await service.sql('select count(*) from tags')
    expect(names(await tagsOf(['Sandbox++', 'Sandbox#'], key))).toEqual(['Sandbox++', 'Sandbox#'])
    expect(await service.sql('select count(*) from tags')).toEqual(before)
    expect((await submit(service, key, newTool({ tags: fresh(6, 'test') }))).status).toBe(400)
  })
})
