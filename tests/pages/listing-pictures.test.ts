// Pictures in the console: files sent with the form of a listing, without JavaScript, and the page with the progress of copies.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectConsolePage, expectGuarded, filledForm } from '../harness/console-forms.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { picture, SVG } from '../harness/product-site.ts'
import { useService } from '../harness/use.ts'

let admin: Browser
const service = useService()
beforeAll(async () => {
  await service.load([{ kind: 'tool', slug: 'acme', name: 'Acme', description: 'One.\n\nTwo.' }])
  admin = await signedUpAdmin(service)
})

const STORED = (type: string) => expect.stringMatching(new RegExp(`^${service.origin}/media/[0-9a-f]{40}\\.${type}$`))

/** Opens the form of the listing and sends it as a browser does, with these changes and files. */
async function save(
  page: string,
  action: string,
  files: readonly [field: string, name: string, bytes: Buffer][],
  changes: Record<string, string> = {},
) {
  const data = new FormData()
  const fields = { ...filledForm((await admin.open(page)).text, action), do: 'save', ...changes }
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const [field, name, bytes] of files) data.append(field, new Blob([new Uint8Array(bytes)]), name)
  const response = await fetch(service.origin + action, {
    method: 'POST',
    headers: { accept: BROWSER, cookie: admin.cookieHeader(), origin: service.origin },
    body: data,
    redirect: 'manual',
  })
  return { status: response.status, text: await response.text() }
}
const tool = async (slug = 'acme') => (await service.admin('GET', `/tools/${slug}`)).body.data

test('a file becomes the logo or the main picture, and several are added to the screenshots', async () => {
  const [logo, frame, first, second] = [
    await picture(300, 200),
    await picture(800, 500),
    await picture(90, 60, '#111111'),
    await picture(90, 60, '#eeeeee'),
  ]
  const files: [string, string, Buffer][] = [
    ['iconFile', 'logo.png', logo],
    ['frameFile', 'frame.png', frame],
    ['screenshotsFile', '1.png', first],
    ['screenshotsFile', '2.png', second],
  ]
  const reply = await save('/admin/tools/acme', '/admin/tools/acme', files, {
    screenshots: 'https://acme.example.com/0.png',
  })
  expect(reply.status).toBe(303)
  const stored = await tool()
  expect(stored).toMatchObject({
    description: 'One.\n\nTwo.',
    icon: STORED('png'),
    frame: STORED('webp'),
    screenshots: ['https://acme.example.com/0.png', STORED('webp'), STORED('webp')],
  })
  const { text } = await admin.open('/admin/tools/acme')
  expect(text).toContain(`src="${new URL(stored.icon).pathname}"`)
  expect(text).not.toContain('src="https://acme')
  await expectSound(text)
})

test('a new listing takes files too', async () => {
  const files: [string, string, Buffer][] = [['iconFile', 'logo.png', await picture(64, 64)]]
  const reply = await save('/admin/directories/-/new', '/admin/directories', files, { name: 'Peak', slug: 'peak' })
  expect(reply.status).toBe(303)
  expect((await service.admin('GET', '/directories/peak')).body.data.icon).toEqual(STORED('png'))
})

test('a file that is no picture is named, nothing is saved, and the other file is kept in the form', async () => {
  const before = await tool()
  const files: [string, string, Buffer][] = [
    ['iconFile', 'evil.svg', SVG],
    ['frameFile', 'other.png', await picture(70, 50, '#00ff00')],
  ]
  const reply = await save('/admin/tools/acme', '/admin/tools/acme', files, { tagline: 'Typed' })
  expect(reply.status).toBe(400)
  expect(reply.text).toContain('evil.svg is no PNG, JPEG, WebP, GIF or AVIF picture.')
  expect(await tool()).toEqual(before)
  const form = filledForm(reply.text, '/admin/tools/acme')
  expect(form).toMatchObject({ tagline: 'Typed', frame: STORED('webp') })
  expect(form.frame).not.toBe(before.frame)
})

test('adding rows keeps a file that was chosen', async () => {
  const files: [string, string, Buffer][] = [['iconFile', 'logo.png', await picture(32, 32, '#0000ff')]]
  const reply = await save('/admin/tools/acme', '/admin/tools/acme', files, { do: 'more features' })
  expect(reply.status).toBe(200)
  expect(filledForm(reply.text, '/admin/tools/acme').icon).toEqual(STORED('png'))
})

test('the page of copies shows the progress and tries failed ones again', async () => {
  await service.load([{ kind: 'tool', slug: 'far', name: 'Far <b>', icon: 'https://far.example/logo.png' }])
  const { id } = await tool('far')
  const parts = JSON.stringify([{ part: 'icon', outcome: 'unreachable', note: 'The address <b>answered</b> 503.' }])
  await service.sql(
    `insert into picture_work (kind, listing_id, host, hash, state, attempts, due_at, parts, updated_at)
     values ('tool', '${id}', 'far.example', 'x', 'failed', 4, now(), '${parts}', now())`,
  )
  const text = await expectConsolePage(service, admin, '/admin/pictures')
  expect(text).toContain('0 waiting, 1 failed.')
  expect(text).toContain('The address &lt;b&gt;answered&lt;/b&gt; 503.')
  expect(text).toContain('MIRROR_PICTURES')
  await expectConsolePage(service, admin, '/admin/pictures?state=failed')
  await expectGuarded(service, admin, '/admin/pictures/retry', {})
  expect((await admin.submit('/admin/pictures', '/admin/pictures/retry')).status).toBe(303)
  expect((await service.admin('GET', '/pictures/progress')).body.data).toMatchObject({ waiting: 1, failed: 0 })
})
