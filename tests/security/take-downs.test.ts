// A listing that an administrator took down stays down, and hidden data stays hidden: another partner, another spelling, a slug or a tag
// must not reveal or publish it.
import { beforeAll, describe, expect, test } from 'vitest'
import { newTool, SUBMISSION_CATALOG, statusOf, submit, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let one: { id: string; key: string }
let two: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  one = await service.newPartner({ name: 'One' })
  two = await service.newPartner({ name: 'Two' })
})

let serial = 0
/** A new website that one partner submitted and an administrator took down. */
async function takenDown(path = ''): Promise<{ host: string; slug: string; id: string; website: string }> {
  const host = `evil-${++serial}.example`
  const website = `https://${host}${path}`
  const { slug, id } = await submitted(service, one.key, { name: `Zqbad ${serial}`, website })
  expect((await service.admin('PATCH', `/tools/${slug}`, { published: false })).body.data.hiddenReason).toBe(
    'taken-down',
  )
  return { host, slug, id, website }
}

const isPublic = async (slug: string): Promise<boolean> => {
  await service.settled()
  const statuses = [
    (await service.rest(`/tools/${slug}`)).status,
    (await service.fetch(`/tools/${slug}`)).status,
    (await service.tool('get_tool', { slug })).isError ? 404 : 200,
  ]
  expect(new Set(statuses).size).toBe(1)
  return statuses[0] === 200
}
const hidden = async (slug: string) => (await service.admin('GET', `/tools/${slug}`)).body.data.hiddenReason

describe('a website whose listing an administrator has unpublished', () => {
  test('a website taken down stays so for every partner and in every spelling', async () => {
    const { host, slug } = await takenDown('/A')
    const spellings = [
      `https://${host}/A`,
      `http://${host}/A`,
      `https://${host}./A`,
      `https://${host}:443/A`,
      `http://${host}:80/A`,
      `https://${host}/A/index.html`,
      `https://${host}/%41`,
      `https://${host}/A/;`,
      `https://www.www.${host}/A`,
      `https://${host}/x/..;/A`,
      `https://${host.toUpperCase()}//A//?x#y`,
    ]
    for (const website of spellings) {
      const again = await submit(service, one.key, newTool({ website }))
      expect([website, again.status, again.body.data.slug]).toEqual([website, 200, slug])
    }
    const other = await submit(service, two.key, newTool({ website: spellings[0], name: 'Again' }))
    expect([other.status, other.body.data.created, other.body.data.slug]).toEqual([201, true, 'again'])
    for (const website of spellings) {
      const again = await submit(service, two.key, newTool({ website }))
      expect([website, again.status, again.body.data.id]).toEqual([website, 200, other.body.data.id])
      expect((await statusOf(service, two.key, { website })).body.data.tool.id).toBe(other.body.data.id)
    }
    expect([await isPublic(slug), await isPublic('again')]).toEqual([false, false])
    expect((await service.rest('/tools?q=zqbad')).body.data).toEqual([])
  })

  test('a second partner sees nothing of the first partner’s listing', async () => {
    const { website, slug, id } = await takenDown()
    const reply = await submit(service, two.key, newTool({ website }))
    expect(reply.text).not.toContain(slug)
    expect(reply.text).not.toContain(id)
    expect((await statusOf(service, two.key, { slug })).status).toBe(404)
  })

  test('is shared and published again when an administrator publishes it again', async () => {
    const { website, slug, id } = await takenDown()
    await service.admin('PATCH', `/tools/${slug}`, { published: true })
    expect(await hidden(slug)).toBeUndefined()
    expect((await submit(service, two.key, newTool({ website }))).body.data.id).toBe(id)
    expect(await isPublic(slug)).toBe(true)
  })

  test('also stays unpublished when a PUT or an import unpublished it', async () => {
    for (const unpublish of [
      (slug: string, website: string) =>
        service.admin('PUT', `/tools/${slug}`, { name: 'X', website, published: false }),
      (slug: string, website: string) => service.load([{ kind: 'tool', slug, name: 'X', website, published: false }]),
    ]) {
      const website = `https://put-${++serial}.example`
      const { slug } = await submitted(service, one.key, { website })
      await unpublish(slug, website)
      expect(await hidden(slug)).toBe('taken-down')
      expect(await isPublic((await submitted(service, two.key, { website })).slug)).toBe(false)
    }
  })
})

describe('another page of a host whose listing was taken down', () => {
  test('another page of a taken-down host waits until an administrator publishes it', async () => {
    const { host } = await takenDown()
    for (const website of [
      `https://${host}/other`,
      `https://${host}:8443`,
      `https://app.${host}`,
      `http://www.app.${host}/x`,
    ]) {
      const reply = await submit(service, two.key, newTool({ website }))
      const { slug, ...data } = reply.body.data
      expect([website, reply.status, data.created]).toEqual([website, 201, true])
      expect([website, await isPublic(slug), await hidden(slug)]).toEqual([website, false, 'review'])
      const waiting = (await service.admin('GET', '/tools?hiddenReason=review')).body.data
      expect(waiting.map((tool: any) => tool.slug)).toContain(slug)
      await service.admin('PATCH', `/tools/${slug}`, { published: true })
      expect([website, await isPublic(slug), await hidden(slug)]).toEqual([website, true, undefined])
    }
    // Other hosts are not affected.
    for (const website of [`https://not-${host}`, `https://${host}.example.com`])
      expect(await isPublic((await submitted(service, two.key, { website })).slug)).toBe(true)
  })

  test('the status tells this to the submitting partner and to no other', async () => {
    const { host, slug } = await takenDown()
    const made = await submitted(service, two.key, { website: `https://${host}/page` })
    const status = async (key: string, of: string) => (await statusOf(service, key, { slug: of })).body.data
    const { summary, ...rest } = await status(two.key, made.slug)
    expect(summary).toEqual({
      isComplete: false,
      submittedCount: 0,
      recordedSubmissions: 0,
      notes: 'The listing is not public yet: it waits for an administrator to look at it.',
    })
    expect(Object.keys(rest).sort()).toEqual([
      'createdAt',
      'reportUrl',
      'submissionState',
      'submissions',
      'tool',
      'updatedAt',
    ])
    expect((await status(one.key, slug)).summary.notes).toMatch(/an administrator has unpublished it/)
    expect((await statusOf(service, one.key, { slug: made.slug })).status).toBe(404)
    await service.admin('PATCH', `/tools/${made.slug}`, { published: true })
    expect((await status(two.key, made.slug)).summary.notes).toBe('')
  })

  test('is taken down too when an administrator decides against it', async () => {
    const { host } = await takenDown()
    const { slug } = await submitted(service, two.key, { website: `https://${host}/no` })
    // Corrections of its texts while it waits are no decision.
    await service.admin('PUT', `/tools/${slug}`, { name: 'No', website: `https://${host}/no`, published: false })
    expect(await hidden(slug)).toBe('review')
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    expect(await hidden(slug)).toBe('taken-down')
  })

  test('is published when the first listing was deleted or was only a draft', async () => {
    await service.admin('PUT', '/tools/deleted', { name: 'Deleted', website: 'https://deleted.example' })
    await service.admin('PATCH', '/tools/deleted', { published: false })
    await service.admin('DELETE', '/tools/deleted')
    await service.admin('PUT', '/tools/drafted', {
      name: 'Drafted',
      website: 'https://drafted.example',
      published: false,
    })
    expect(await hidden('drafted')).toBe('draft')
    for (const website of ['https://deleted.example', 'https://drafted.example', 'https://drafted.example/page'])
      expect([website, await isPublic((await submitted(service, two.key, { website })).slug)]).toEqual([website, true])
  })

  test('keeps its reason through an export and an import', async () => {
    const { slug } = await takenDown()
    const lines = (await service.admin('GET', '/export')).text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    const line = lines.find((one) => one.kind === 'tool' && one.slug === slug)
    expect(line.hiddenReason).toBe('taken-down')
    await service.load([{ ...line, slug: `${slug}-copy` }])
    expect(await hidden(`${slug}-copy`)).toBe('taken-down')
  })
})

describe('a slug that a hidden listing has', () => {
  const slugOf = async (key: string, more: Record<string, unknown>) => (await submitted(service, key, more)).slug

  test.each([
    [
      'a draft of the operator',
      async (slug: string) => {
        await service.admin('PUT', `/tools/${slug}`, { name: 'Secret', published: false })
      },
    ],
    [
      'a listing that was taken down',
      async (slug: string) => {
        await submitted(service, one.key, { slug })
        await service.admin('PATCH', `/tools/${slug}`, { published: false })
      },
    ],
  ])('a submission gets a hidden listing’s slug: %s', async (_, hide) => {
    const slug = `secret-${++serial}`
    await hide(slug)
    const { id } = (await service.admin('GET', `/tools/${slug}`)).body.data
    const fresh = await submit(service, two.key, newTool({ slug: `fresh-${serial}` }))
    const reply = await submit(service, two.key, newTool({ slug }))
    expect([fresh.status, fresh.body.data.slug]).toEqual([201, `fresh-${serial}`])
    expect([reply.status, reply.body.data.slug]).toEqual([201, slug])
    expect(await isPublic(slug)).toBe(true)
    // The hidden listing got another slug, and the audit log says so.
    const moved = (await service.admin('GET', `/tools?q=${slug}&published=false`)).body.data
    expect(moved).toMatchObject([{ id, slug: `${slug}-2` }])
    const [entry] = (await service.admin('GET', `/audit?subject=tool:${slug}-2`)).body.data
    expect(entry).toMatchObject({ action: 'tool.rename', details: { from: slug, to: `${slug}-2` } })
    // A number is still added when the slug is public.
    expect(await slugOf(two.key, { slug })).toBe(`${slug}-2`)
  })

  test('does not make an administrator publish another listing than the hidden one', async () => {
    const { host, slug: down } = await takenDown()
    // Two pages of the same host wait: the second partner requests the slug of the first partner's page.
    const slug = `meant-${++serial}`
    const good = await submitted(service, one.key, { slug, website: `https://${host}/good` })
    const spam = await submitted(service, two.key, { slug, website: `https://${host}/spam`, name: 'Spam' })
    expect(spam.slug).toBe(slug)
    const publish = (which: string) => service.admin('PATCH', `/tools/${which}`, { published: true })
    const refused = await publish(slug)
    expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining(`is ${slug}-2 now`)])
    expect((await publish(`${slug}?id=${good.id}`)).status).toBe(409)
    expect(await isPublic(slug)).toBe(false)
    // After it got another slug, the old slug still identifies it for the operator.
    await submitted(service, two.key, { slug: `${slug}-2`, website: `https://${host}/more` })
    expect((await publish(slug)).body.error).toContain(`is ${slug}-2-2 now`)
    expect((await publish(`${slug}-2-2?id=${good.id}`)).body.data).toMatchObject({ id: good.id, published: true })
    // From now on each slug identifies one listing only.
    expect((await publish(slug)).body.data).toMatchObject({ id: spam.id, published: true })
    expect(await isPublic(down)).toBe(false)
  })

  test('of a listing that was hidden for a moment leads the operator to that listing, not to the newer one', async () => {
    const slug = `moment-${++serial}`
    const { id } = (await service.admin('PUT', `/tools/${slug}`, { name: 'Known' })).body.data
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    await submitted(service, two.key, { slug })
    expect((await service.admin('PATCH', `/tools/${slug}`, { published: true })).status).toBe(409)
    // A public listing can be hidden by its slug at any time.
    expect((await service.admin('PATCH', `/tools/${slug}`, { published: false })).status).toBe(200)
    const known = await service.admin('PATCH', `/tools/${slug}-2`, { published: true })
    expect(known.body.data).toMatchObject({ id, published: true })
  })

  test('is given the same way when it is made from the name', async () => {
    await service.admin('PUT', '/tools/unheard-of', { name: 'Unheard Of', published: false })
    expect(await slugOf(two.key, { name: 'Unheard of!' })).toBe('unheard-of')
  })

  test('still finds the submission of the partner that had it first, and only that submission', async () => {
    const slug = `first-${++serial}`
    const first = await submitted(service, one.key, { slug })
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    const second = await submitted(service, two.key, { slug })
    const found = async (key: string) => (await statusOf(service, key, { slug })).body.data.tool
    expect(await found(one.key)).toMatchObject({ id: first.id, slug: `${slug}-2` })
    expect(await found(two.key)).toMatchObject({ id: second.id, slug })
  })

  test('gets a number when the hidden listing is the partner’s own', async () => {
    const slug = `own-${++serial}`
    await submitted(service, one.key, { slug })
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    expect(await slugOf(one.key, { slug })).toBe(`${slug}-2`)
  })

  test('twenty partners at once: each gets its own slug, and the first gets the plain one', async () => {
    const slug = `rush-${++serial}`
    await service.admin('PUT', `/tools/${slug}`, { name: 'Rush', published: false })
    const replies = await Promise.all(Array.from({ length: 20 }, () => submit(service, two.key, newTool({ slug }))))
    const slugs = replies.map(({ body }) => body.data.slug)
    expect(new Set(slugs).size).toBe(20)
    expect(slugs).toContain(slug)
    expect((await service.admin('GET', `/tools?q=${slug}&published=false`)).body.data).toHaveLength(1)
  })
})

describe('a tag that a submission made', () => {
  /** The public places that show the tag. */
  const placesThatShow = async (text: string, slug: string): Promise<string[]> => {
    await service.settled()
    const places: [string, string][] = [
      ['/tags', (await service.rest('/tags')).text],
      ['/tags?q=', (await service.rest(`/tags?q=${encodeURIComponent(text)}`)).text],
      ['list_tags', (await service.tool('list_tags', { q: text })).text],
      ['site /tags', (await service.fetch('/tags')).text],
      ['site /tags/slug', (await service.fetch(`/tags/${slug}`)).text],
      ['site /tools?tag=', (await service.fetch(`/tools?tag=${slug}`)).text],
      ['site /tools', (await service.fetch('/tools')).text],
      ['site /', (await service.fetch('/')).text],
      ['sitemap', (await service.fetch('/sitemap.xml')).text],
      ['llms', (await service.fetch('/llms.txt')).text],
    ]
    // The tag is part of the requested address, so only these spellings count.
    return places.filter(([, body]) => body.includes(text) || body.includes(`/tags/${slug}<`)).map(([place]) => place)
  }
  const marked = async (slug: string) => {
    const { data } = (await service.admin('GET', `/tags?q=${slug}`)).body
    const { submitted: made, shown, listingsCount } = data.find((tag: any) => tag.slug === slug)
    return { made, shown, listingsCount }
  }

  test('a submitted tag is public only while a published listing has it', async () => {
    const [text, slug] = ['Buy Cheap Pills', 'buy-cheap-pills']
    const { slug: tool } = await submitted(service, one.key, { tags: [text] })
    expect((await placesThatShow(text, slug)).length).toBeGreaterThan(6)
    expect(await marked(slug)).toEqual({ made: true, shown: true, listingsCount: 1 })
    await service.admin('PATCH', `/tools/${tool}`, { published: false })
    expect(await placesThatShow(text, slug)).toEqual([])
    expect((await service.fetch(`/tags/${slug}`)).status).toBe(404)
    expect(await marked(slug)).toEqual({ made: true, shown: false, listingsCount: 1 })
    await service.admin('PATCH', `/tools/${tool}`, { published: true })
    expect(await placesThatShow(text, slug)).toContain('/tags')
  })

  test('disappears with a deleted listing, and does not appear with one that waits for review', async () => {
    await service.load([{ kind: 'tool', slug: 'goes', name: 'Goes' }])
    await submitted(service, one.key, { tags: ['Zq Passing'], website: 'https://passing.example' })
    await service.sql(`delete from enrichments`)
    await service.sql(
      `delete from submission_details where submission_id in (select id from submissions where website_key = 'passing.example')`,
    )
    await service.sql(`delete from submissions where website_key = 'passing.example'`)
    const [{ slug }] = (await service.admin('GET', '/tools?tag=zq-passing')).body.data
    expect((await service.admin('DELETE', `/tools/${slug}`)).status).toBe(200)
    expect(await placesThatShow('Zq Passing', 'zq-passing')).toEqual([])
    const { host } = await takenDown()
    await submitted(service, two.key, { website: `https://${host}/waits`, tags: ['Zq Waiting'] })
    expect(await placesThatShow('Zq Waiting', 'zq-waiting')).toEqual([])
  })

  test('stays when an operator made it or has changed it', async () => {
    await service.admin('PUT', '/tags/operators', { name: 'Operators' })
    expect(await placesThatShow('Operators', 'operators')).toContain('/tags')
    const { slug } = await submitted(service, one.key, { tags: ['Zq Adopted'] })
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    expect(await placesThatShow('Zq Adopted', 'zq-adopted')).toEqual([])
    await service.admin('PUT', '/tags/zq-adopted', { name: 'Zq Adopted' })
    await service.settled()
    expect(await placesThatShow('Zq Adopted', 'zq-adopted')).toContain('/tags')
  })

  test('is still a tag of a submission after an export and an import', async () => {
    const { slug } = await submitted(service, one.key, { tags: ['Zq Carried'] })
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    const lines = (await service.admin('GET', '/export')).text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    await service.load(lines.filter((line) => line.kind === 'tag'))
    expect(await placesThatShow('Zq Carried', 'zq-carried')).toEqual([])
    expect(lines.find((line) => line.slug === 'api')).toEqual({ kind: 'tag', slug: 'api', name: 'API', adult: false })
  })

  test('a hidden tag is not revealed to another partner, which gets the name that it sent', async () => {
    const { slug } = await submitted(service, one.key, { tags: ['ZQ «Automation» !!! 买'] })
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    await service.settled()
    const reply = await submit(service, two.key, newTool({ tags: ['Zq Automation'] }))
    expect(reply.body.data.tags).toEqual([{ slug: 'zq-automation', name: 'Zq Automation' }])
    expect(await placesThatShow('买', 'zq-automation-x')).toEqual([])
    // A visible tag keeps its name.
    expect((await submit(service, one.key, newTool({ tags: ['zq AUTOMATION'] }))).body.data.tags).toEqual(
      reply.body.data.tags,
    )
  })
})
