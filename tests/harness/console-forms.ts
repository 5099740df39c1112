// Checks for every page of the console, and helpers that send whole forms and files.
import { expect } from 'vitest'
import { type Browser, createBrowser, signedUp } from './browser.ts'
import { expectSound } from './html.ts'
import type { Reply, TestService } from './service.ts'

export const HOSTILE_MARKUP = '"><script>alert(1)</script><b onclick=x>'

/** The page is valid for an administrator, sends a visitor to the sign-in page and refuses other users. */
export async function expectConsolePage(service: TestService, admin: Browser, path: string): Promise<string> {
  const page = await admin.open(path)
  expect([path, page.status]).toEqual([path, 200])
  expect(page.headers.get('cache-control')).toBe('no-store')
  await expectSound(page.text, ['<script>alert', '<b onclick'])
  const visitor = await createBrowser(service).open(path)
  expect([path, visitor.status]).toEqual([path, 303])
  expect(visitor.headers.get('location')).toMatch(/^\/sign-in\?next=/)
  expect([path, (await (await ordinary(service)).open(path)).status]).toEqual([path, 403])
  return page.text
}

const users = new WeakMap<TestService, Promise<Browser>>()
function ordinary(service: TestService): Promise<Browser> {
  let user = users.get(service)
  if (!user) users.set(service, (user = signedUp(service)))
  return user
}

/** Every field of a form as a browser sends it when the user changes nothing. */
export function filledForm(html: string, action: string): Record<string, string> {
  const forms = [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
  const form = forms.find(([, attributes]) => attributes!.includes(`method="post" action="${action}"`))
  if (!form) throw new Error(`no form for ${action}`)
  const fields: Record<string, string> = {}
  const text = form[2]!
  for (const [tag] of text.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(tag, 'name')
    if (name === null || /type="(checkbox|radio)"/.test(tag) ? !/ checked/.test(tag) : /type="file"/.test(tag)) continue
    fields[name!] = attribute(tag, 'value') ?? ''
  }
  for (const [, tag, value] of text.matchAll(/<textarea\b([^>]*)>\n?(.*?)<\/textarea>/gs))
    fields[attribute(tag!, 'name')!] = decoded(value!)
  for (const [, tag, options] of text.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)) {
    if (/ disabled/.test(tag!)) continue
    const chosen = /<option value="([^"]*)" selected/.exec(options!) ?? /<option value="([^"]*)"/.exec(options!)
    fields[attribute(tag!, 'name')!] = decoded(chosen?.[1] ?? '')
  }
  return fields
}

export const attribute = (tag: string, name: string): string | null => {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(tag)
  return found ? decoded(found[1]!) : null
}

export const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Opens the page, changes the given fields of the form, leaves out those that are null, and sends it. */
export async function fill(
  browser: Browser,
  page: string,
  action: string,
  changes: Record<string, string | null>,
): Promise<Reply> {
  const fields = filledForm((await browser.open(page)).text, action)
  for (const [name, value] of Object.entries(changes))
    if (value === null) delete fields[name]
    else fields[name] = value
  return browser.post(action, fields)
}

/** Sends a form with a file; the fields come before the file. */
export async function upload(
  service: TestService,
  browser: Browser,
  path: string,
  fields: Record<string, string>,
  file: { name: string; content: string } | null,
): Promise<Reply> {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append('file', new Blob([file?.content ?? '']), file?.name ?? '')
  const response = await fetch(service.origin + path, {
    method: 'POST',
    body: data,
    redirect: 'manual',
    headers: { cookie: browser.cookieHeader(), origin: service.origin, accept: 'text/html' },
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
    browser.cookies.set(name!, value!)
  }
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: undefined }
}

/** The form is refused without a token, with an empty or wrong token, and with the token of another user. */
export async function expectGuarded(
  service: TestService,
  browser: Browser,
  path: string,
  fields: Record<string, string>,
) {
  const other = filledForm((await (await ordinary(service)).open('/dashboard')).text, '/dashboard/keys').token!
  for (const token of [undefined, '', 'nonsense', other])
    expect([path, (await browser.post(path, { ...fields, ...(token === undefined ? {} : { token }) })).status]).toEqual(
      [path, 403],
    )
}
