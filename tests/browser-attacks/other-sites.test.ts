// A page of another site, in the browser of a signed-in administrator, sends everything that a browser can be made to send: forms of every
// encoding, fetches with cookies, beacons, pictures, frames. Nothing changes.
import { createServer } from 'node:http'
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD, type Browser as Person, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { newSubmission } from '../harness/done-work.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { listening } from '../harness/listening.ts'
import { filledPath, type PathValues, type ServedRoute, servedRoutes } from '../harness/routes.ts'
import { asked, putArticles } from '../harness/support.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const navigator: any

interface Form {
  action: string
  fields: Record<string, string>
}

const GITHUB = { GITHUB_CLIENT_ID: 'other-sites', GITHUB_CLIENT_SECRET: 'other-sites-secret' }

let administrator: Person & { email: string }
let routes: ServedRoute[]
let forms: Form[]
/** The values for path parameters. */
let known: PathValues

const service = useService(GITHUB)
const attackerSite = use(startAttackerSite)
const browser = use(launchChromium)
beforeAll(async () => {
  await service.load(FIXTURE)
  routes = await servedRoutes(GITHUB)
  administrator = await signedUpAdmin(service)
  known = await populateFor(administrator)
  forms = await formsOf(administrator)
}, 240_000)

/** Creates one row of every kind that a request could change. */
async function populateFor({ email }: { email: string }): Promise<PathValues> {
  const { id: user } = await userNamed(service, email)
  const { id: key } = await service.newKey('standard', email)
  const partner = await service.newPartner({ support: 'human' })
  await service.admin('PATCH', `/users/${user}`, { partner: partner.id })
  const whole = { faq: [{ question: 'a', answer: 'b' }], features: { a: 'b' } }
  const tool = await service.rest('/submit-ai-tool', { method: 'POST', key: partner.key, body: newSubmission(whole) })
  const [{ id: submission }] = (await service.admin('GET', '/submissions')).body.data
  const [article] = await putArticles(service, partner.id, [
    { title: 'Refunds', body: 'Within 14 days of the payment.' },
  ])
  const { id: conversation } = await asked(service, partner.key, 'Where is my refund?')
  return {
    keys: key,
    users: user,
    partners: partner.id,
    submissions: submission,
    conversations: conversation,
    enrichments: tool.body.data.id,
    knowledge: article.id,
    webhooks: '00000000-0000-4000-8000-000000000000',
    support: conversation,
    taxonomy: 'categories',
    sitemaps: '1.xml',
    media: 'x.png',
    categories: 'writing',
    tags: 'api',
    tools: 'full-house',
    directories: 'launch-list',
    plan: 'launch-list',
    bench: 'launch-list',
    kit: 'launch-list',
    views: 'mine',
    collections: 'zqcollection',
    'saved-replies': 'hello',
    'directory-categories': 'saas',
  }
}

const filled = (path: string) => filledPath(path, known)

/** The fields for a route whose form was not found. */
const ANYTHING = {
  name: 'evil',
  title: 'evil',
  body: 'evil',
  agree: 'true',
  sure: 'true',
  banned: 'true',
  content: 'evil',
}
const SIGN_IN_FIELDS = { email: 'mallory@evil.example', password: PASSWORD, link: 'guess', next: '/' }

/** One form for every route that takes one, filled in as on the page, but without the tokens that only our pages know. */
async function formsOf(person: Person): Promise<Form[]> {
  const found: Form[] = []
  for (const { method, path } of routes) {
    if (method !== 'GET' || !/^\/(dashboard|admin)/.test(path) || path === '/admin/import/export') continue
    const page = filled(path)
    const $ = load((await person.open(page)).text)
    for (const form of $('form[method="post" i]').toArray()) {
      const fields = $(form)
        .find('input, select, textarea, button[name]')
        .toArray()
        .map((field): [string, string] => [$(field).attr('name') ?? '', String($(field).val() || 'x')])
        .filter(([name]) => name && name !== 'token')
      found.push({ action: $(form).attr('action') ?? page, fields: Object.fromEntries(fields) })
    }
  }
  return routes.filter(isPageForm).map(({ path }) => {
    const matches = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`)
    const known = found.find(({ action }) => matches.test(action))
    return known ?? { action: filled(path), fields: path.startsWith('/admin') ? ANYTHING : SIGN_IN_FIELDS }
  })
}

const isPageForm = ({ method, path }: ServedRoute) => method !== 'GET' && !/^\/(api|mcp)(\/|$)/.test(path)

/**
 * A server of the attacker. Its port is reachable as `127.0.0.1` (same site, so the browser sends cookies) and as `localhost` (another
 * site).
 */
async function startAttackerSite() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!DOCTYPE html><title>evil</title>${site.page}`)
  })
  const site = { page: '', ...(await listening(server, '0.0.0.0')) }
  return site
}

const ATTACKERS = [
  ['a page of another site', 'localhost'],
  ['a page of the same site, to which the browser sends cookies', '127.0.0.1'],
] as const

/** Everything that the operator can see, and whether the administrator is still signed in. */
async function everything(): Promise<unknown> {
  const lists = ['keys', 'partners', 'users', 'submissions', 'webhooks', 'support/conversations', 'knowledge', 'audit']
  const state: Record<string, unknown> = {}
  for (const list of lists) state[list] = (await service.admin('GET', `/${list}?limit=1000`)).body.data
  const { partners, conversations } = known
  state.articles = (await service.admin('GET', `/partners/${partners}/knowledge`)).body.data
  state.thread = (await service.admin('GET', `/support/conversations/${conversations}`)).body.data
  state.catalog = (await service.admin('GET', '/export')).text
  state.dashboard = (await administrator.open('/dashboard')).status
  return state
}

/** Runs `attack` in the administrator's browser and returns the answers to its requests. */
async function attacked(attack: (visit: Visit, from: number) => Promise<void>): Promise<Answered[]> {
  const before = await everything()
  const visit = await visitor(browser, service.origin, { cookies: administrator.cookies })
  const from = service.logged.length
  await attack(visit, from)
  await visit.context.close()
  const lines = service.logged.slice(from).filter(({ message }) => message === 'request') as unknown as Answered[]
  expect(await everything()).toEqual(before)
  return lines
}

interface Answered {
  method: string
  path: string
  status: number
  caller: string
}

const written = (lines: Answered[]) => lines.filter(({ method }) => !/GET|HEAD|OPTIONS/.test(method))
/** Requests that were not refused. A request without the cookie is a visitor's and is redirected to the sign-in page. */
const taken = (lines: Answered[]) =>
  written(lines).filter(
    ({ status, caller, path }) =>
      status < 400 && !(status === 303 && caller === 'visitor' && /^\/(dashboard|admin|sign-out)(\/|$)/.test(path)),
  )

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
const formHtml = ({ action, fields }: Form, target: string) =>
  `<form method="post" action="${escaped(service.origin + action)}" target="${target}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join('')}</form>`

/** Each form in its own frame, all sent at once. */
const manyForms = (all: readonly Form[]) =>
  `${all.map((form, i) => `<iframe name="f${i}"></iframe>${formHtml(form, `f${i}`)}`).join('\n')}
<script>
  onload = async () => {
    const frames = [...document.querySelectorAll('iframe')]
    const again = frames.map((frame) => new Promise((resolve) => frame.addEventListener('load', resolve)))
    for (const form of document.forms) HTMLFormElement.prototype.submit.call(form)
    await Promise.all(again)
    document.title = 'done'
  }
</script>`

async function open({ page }: Visit, host: string, html: string): Promise<void> {
  attackerSite.page = html
  await page.goto(`http://${host}:${attackerSite.port}/`)
}

const done = ({ page }: Visit) => page.waitForFunction(() => document.title === 'done', undefined, { timeout: 120_000 })

test('there is a form for every route that takes one, most of them as on the page', () => {
  expect(forms).toHaveLength(routes.filter(isPageForm).length)
  expect(forms.length).toBeGreaterThan(30)
  expect(forms.filter(({ fields }) => fields === ANYTHING).length).toBeLessThan(8)
  const operator = routes.filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/admin'))
  expect(operator.length).toBeGreaterThan(20)
})

test('a page of another site sends every form in its own window', { timeout: 240_000 }, async () => {
  const lines = await attacked(async (visit) => {
    for (const form of forms) {
      const html = `${formHtml(form, '_self')}<script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>`
      const answered = visit.page.waitForResponse((response) => response.url() === service.origin + form.action)
      await open(visit, 'localhost', html).catch(() => {})
      await answered
    }
  })
  expect(written(lines)).toHaveLength(forms.length)
  expect(taken(lines)).toEqual([])
})

test('a page of the same site, to which the browser sends cookies, sends every form from frames', {
  timeout: 240_000,
}, async () => {
  const lines = await attacked(async (visit) => {
    await open(visit, '127.0.0.1', manyForms(forms))
    await done(visit)
  })
  expect(written(lines)).toHaveLength(forms.length)
  expect(taken(lines)).toEqual([])
  // The attack is a real one: the browser sent the cookie, and the service refused for another reason.
  const asVisitor = written(lines).filter(({ caller }) => !caller.startsWith('user '))
  expect(asVisitor.filter(({ path }) => /^\/(dashboard|admin|sign-out)/.test(path))).toEqual([])
})

describe.each(ATTACKERS)('%s', (who, host) => {
  test('fetches with cookies and sends beacons, with every method and type', { timeout: 240_000 }, async () => {
    const api = routes
      .filter((route) => route.method !== 'GET' && !isPageForm(route))
      .map(({ method, path }) => ({ method, url: filled(path), fields: ANYTHING as Record<string, string> }))
    const targets = [...api, ...forms.map(({ action, fields }) => ({ method: 'POST', url: action, fields }))]
    const lines = await attacked(async (visit) => {
      await open(visit, host, '')
      await visit.page.evaluate(
        async ({ targets, origin }) => {
          const send = (
            url: string,
            method: string,
            mode: 'cors' | 'no-cors',
            body: RequestInit['body'],
            type?: string,
          ) =>
            fetch(origin + url, {
              method,
              mode,
              body,
              credentials: 'include',
              headers: type ? { 'content-type': type } : {},
            }).catch(() => {})
          for (const { method, url, fields } of targets) {
            const parts = new FormData()
            for (const [name, value] of Object.entries(fields)) parts.append(name, value)
            const json = JSON.stringify({ ...fields, email: 'mallory@evil.example', state: 'DONE', role: 'admin' })
            await Promise.all([
              send(url, 'POST', 'no-cors', new URLSearchParams(fields)),
              send(url, 'POST', 'no-cors', parts),
              send(url, 'POST', 'no-cors', json, 'text/plain'),
              send(`${url}?_method=${method}`, 'POST', 'no-cors', new URLSearchParams({ ...fields, _method: method })),
              send(url, method, 'cors', json, 'application/json'),
              send(url, method, 'cors', '{"kind":"tag","slug":"evil","name":"evil"}\n', 'application/x-ndjson'),
              send(url, method, 'cors', null),
            ])
            navigator.sendBeacon(origin + url, new Blob([json], { type: 'text/plain' }))
          }
        },
        { targets, origin: service.origin },
      )
    })
    expect(written(lines).length).toBeGreaterThan(3 * targets.length)
    expect(taken(lines)).toEqual([])
  })

  test('loads every address as a picture and follows links to them', { timeout: 240_000 }, async () => {
    // The link to a tool's site counts every visitor who follows it, as intended.
    const paths = new Set(routes.map(({ path }) => filled(path)).filter((path) => !path.endsWith('/visit')))
    for (const { action } of forms) paths.add(action)
    const links = forms.map(({ action }) => action).filter((_, i) => i % 4 === 0)
    const lines = await attacked(async (visit) => {
      await open(visit, host, [...paths].map((path) => `<img src="${escaped(service.origin + path)}">`).join(''))
      for (const path of links) {
        await open(visit, host, `<a href="${escaped(service.origin + path)}">A prize</a>`)
        await visit.page.getByText('A prize').click()
        await visit.page.waitForURL((url) => url.port !== String(attackerSite.port))
      }
    })
    expect(written(lines)).toEqual([])
    expect(lines.length).toBeGreaterThanOrEqual(paths.size)
    // The browser sent the cookie with the links, and from the same site with the pictures too.
    expect(lines.some(({ caller }) => caller.startsWith('user '))).toBe(true)
  })

  test('reads nothing', async () => {
    const paths = ['/dashboard', '/dashboard/account', '/api/admin/users', '/api/admin/keys', '/api/admin/export']
    const visit = await visitor(browser, service.origin, { cookies: administrator.cookies })
    await open(visit, host, '')
    const read = await visit.page.evaluate(
      ({ origin, paths }) =>
        Promise.all(
          paths.map((path) =>
            fetch(origin + path, { credentials: 'include' }).then(
              (response) => response.text(),
              () => null,
            ),
          ),
        ),
      { origin: service.origin, paths },
    )
    expect([who, read]).toEqual([who, paths.map(() => null)])
    await visit.context.close()
  })
})

test('a frame without an origin sends every form: nothing changes', { timeout: 120_000 }, async () => {
  const inner = `${forms.map((form, i) => `<iframe name="f${i}"></iframe>${formHtml(form, `f${i}`)}`).join('')}<script>for (const form of document.forms) HTMLFormElement.prototype.submit.call(form)</script>`
  const lines = await attacked(async (visit, from) => {
    await open(visit, '127.0.0.1', `<iframe sandbox="allow-scripts allow-forms" srcdoc="${escaped(inner)}"></iframe>`)
    const sent = () => service.logged.slice(from).filter(({ method }) => method === 'POST').length
    await expect.poll(sent, { timeout: 30_000 }).toBe(forms.length)
  })
  expect(written(lines)).toHaveLength(forms.length)
  expect(taken(lines)).toEqual([])
})

test('the same requests succeed from our own pages: the administrator could have made every change', async () => {
  const visit = await visitor(browser, service.origin, { cookies: administrator.cookies })
  await visit.page.goto('/dashboard')
  const status = await visit.page.evaluate(async () => {
    const body = JSON.stringify({ email: 'friend@example.com' })
    const answer = await fetch('/api/admin/keys', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    return answer.status
  })
  expect(status).toBe(201)
  expect(visit.problems).toEqual([])
  await visit.context.close()
})
