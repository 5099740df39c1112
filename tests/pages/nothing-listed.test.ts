// @module-tag once
// What the lists of tools and directories say when they have nothing to show.
import { expect, test } from 'vitest'
import { messageIn } from '../harness/founders.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const service = useService()

async function wordsOf(path: string): Promise<string> {
  const reply = await service.fetch(path, { headers: { accept: BROWSER } })
  expect([path, reply.status]).toEqual([path, 200])
  await expectSound(reply.text)
  return messageIn(reply)
}

test('an empty catalog says that nothing is listed yet, and advises no other words or filters', async () => {
  expect(await wordsOf('/tools')).toContain('No tools yet As soon as tools are listed they are here.')
  expect(await wordsOf('/directories')).toContain('No directories yet As soon as directories are listed they are here.')
  for (const path of ['/tools?sort=rating', '/directories?sort=newest']) {
    const words = await wordsOf(path)
    expect(words).toContain('Nothing found')
    expect(words).not.toMatch(/other words|take a filter away/i)
  }
  for (const [path, things] of [
    ['/tools?q=wobble', 'tool'],
    ['/directories?q=wobble', 'directory'],
  ] as const)
    expect(await wordsOf(path)).toMatch(
      new RegExp(`No ${things} here mentions wobble We looked for: Without wobble Try other words\\.`),
    )
  expect(await wordsOf('/tools?pricing=FREE')).toContain('Nothing found. Take a filter away.')
  expect(await wordsOf('/directories?cost=Free')).toContain('Nothing found. Take a filter away.')
})

test('a page past the last one leads to the first, and says nothing else', async () => {
  await service.load([
    { kind: 'tool', slug: 'acme', name: 'Acme', tagline: 'Writes', pricing: 'FREE', published: true },
    { kind: 'directory', slug: 'peak', name: 'Peak', cost: 'Free' },
  ])
  for (const path of [
    '/tools?',
    '/tools?pricing=FREE&',
    '/tools?q=acme&',
    '/directories?',
    '/directories?cost=Free&',
  ]) {
    const words = await wordsOf(`${path}page=999`)
    expect([path, words]).toEqual([path, expect.stringContaining('There is no such page Go to the first page')])
  }
})
