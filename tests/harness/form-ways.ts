// Every form of the site, the dashboard and the console that takes a text, read from the pages themselves.
import { type Browser, createBrowser, PASSWORD } from './browser.ts'
import { attribute, decoded } from './console-forms.ts'
import type { Content } from './contents.ts'
import type { Way } from './costs.ts'
import { address, greatestText } from './greatest.ts'
import type { StartedGround } from './ground.ts'
import { filledPath, servedRoutes } from './routes.ts'
import { RANKED_DIRECTORIES } from './submissions.ts'

interface Form {
  page: string
  action: string
  method: 'get' | 'post'
  /** As a browser sends them when the user changes nothing. */
  filled: Record<string, string>
  texts: Map<string, { maxLength: number; isAddress: boolean }>
}

/** What would end the session, the account or the row that other forms need. */
const ENDS = /sign-out|delete|revoke|rotate|withdraw|\/ban|password|sign-in|sign-up|\/link\b|secret|test-event|\/undo/
const UNLIMITED = 20_000

function formsIn(html: string, page: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, attributes, inside]) => {
    const action = attribute(attributes!, 'action') ?? page
    const form: Form = {
      page,
      action,
      method: / method="post"/i.test(attributes!) ? 'post' : 'get',
      filled: {},
      texts: new Map(),
    }
    if (/multipart/.test(attributes!) || (form.method === 'post' && ENDS.test(action))) return []
    const note = (tag: string, kind: string, value: string) => {
      const name = attribute(tag, 'name')
      if (name === null || / disabled/.test(tag)) return
      form.filled[name] = value
      if (/^(text|search|url|email|textarea)$/.test(kind) && !/ readonly/.test(tag))
        form.texts.set(name, { maxLength: Number(attribute(tag, 'maxlength') ?? UNLIMITED), isAddress: kind === 'url' })
    }
    for (const [tag] of inside!.matchAll(/<input\b[^>]*>/g)) {
      const kind = attribute(tag, 'type') ?? 'text'
      if (kind === 'file' || (/checkbox|radio/.test(kind) && !/ checked/.test(tag))) continue
      note(tag, kind, attribute(tag, 'value') ?? '')
    }
    for (const [, tag, value] of inside!.matchAll(/<textarea\b([^>]*)>\n?(.*?)<\/textarea>/gs))
      note(` ${tag}`, 'textarea', decoded(value!))
    for (const [, tag, options] of inside!.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)) {
      const first = /<option value="([^"]*)" selected/.exec(options!) ?? /<option value="([^"]*)"/.exec(options!)
      note(` ${tag}`, 'select', decoded(first?.[1] ?? ''))
    }
    return form.texts.size > 0 ? [form] : []
  })
}

/** A form of a page by its action and its fields, because pages have several. */
const nameOf = ({ method, action, texts }: Form, known: Ids): string =>
  `${method} form ${withoutIds(action, known)} ${[...texts.keys()].slice(0, 3).join('+')}`
type Ids = ReadonlySet<string>
const withoutIds = (path: string, known: Ids): string =>
  path
    .split('?')[0]!
    .split('/')
    .map((part) => (known.has(part) ? ':' : part))
    .join('/')

/** A browser that is signed in as an administrator who also works for the partner. */
export async function administrator(ground: StartedGround): Promise<Browser> {
  const browser = createBrowser(ground.service)
  await browser.submit('/sign-up', '/sign-up', { email: 'admin@example.com', password: PASSWORD })
  const { data } = (await ground.service.admin('GET', '/users?limit=100')).body
  const { id } = data.find(({ email }: { email: string }) => email === 'admin@example.com')
  await ground.service.admin('PATCH', `/users/${id}`, { role: 'admin', partner: ground.partner.id })
  return browser
}

export async function formWays(ground: StartedGround, browser: Browser): Promise<Way[]> {
  const ids: Ids = new Set([...Object.values(ground.known), ...RANKED_DIRECTORIES.map(({ slug }) => slug)])
  const paths = (await servedRoutes()).filter(({ method, path }) => method === 'GET' && !NO_PAGE.test(path))
  const forms = new Map<string, Form>()
  for (const { path } of paths) {
    const filled = pathWith(path, ground)
    if (filled === null) continue
    const { status, text } = await browser.open(filled)
    if (status === 200)
      for (const form of formsIn(text, filled)) if (!forms.has(nameOf(form, ids))) forms.set(nameOf(form, ids), form)
  }
  return [...forms].map(([name, form]) => wayOf(name, form, ground, browser))
}

const NO_PAGE =
  /^\/(?:api|assets|media|oauth|mcp|feeds|sitemaps|share|\.well-known|metrics|reports)|\.(?:xml|txt|csv|tgz|png|svg|json)$|export|\/:file|\/visit/

function pathWith(path: string, { known }: StartedGround): string | null {
  try {
    return filledPath(path, known)
  } catch {
    return null
  }
}

function wayOf(name: string, form: Form, ground: StartedGround, browser: Browser): Way {
  let fresh = form.filled
  const valueFor = (field: string, content: Content): string => {
    const { maxLength, isAddress } = form.texts.get(field)!
    const length = form.method === 'get' ? Math.min(maxLength, Math.floor(9_000 / 9 / form.texts.size)) : maxLength
    if (isAddress) return address(ground.site, content, Math.min(2_000, length))
    return greatestText(content, length)
  }
  return {
    name,
    fields: [...form.texts.keys()],
    ...(form.method === 'post'
      ? {
          // The page has the newest version of what the form changes.
          async prepare() {
            const { text } = await browser.open(form.page)
            const same = formsIn(text, form.page).find(
              (one) => one.action === form.action && [...form.texts.keys()].every((field) => one.texts.has(field)),
            )
            fresh = same?.filled ?? form.filled
          },
        }
      : {}),
    async send(content, fields) {
      const given = Object.fromEntries(fields.map((field) => [field, valueFor(field, content)]))
      const sent = { ...fresh, ...given }
      const reply =
        form.method === 'post'
          ? await browser.post(form.action, sent)
          : await browser.open(`${form.action.split('?')[0]}?${new URLSearchParams(sent)}`)
      return { ...reply, body: { error: errorIn(reply.text, fields) } }
    },
    ...(form.method === 'post' ? { after: () => browser.open(form.page) } : {}),
  }
}

/** The names of the fields that the page marks as wrong. */
const errorIn = (html: string, fields: readonly string[]): string =>
  fields
    .filter((field) =>
      new RegExp(
        `name="${RegExp.escape(field)}"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*name="${RegExp.escape(field)}"`,
      ).test(html),
    )
    .join(' ')
