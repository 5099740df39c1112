// A browser without scripts: it keeps cookies, sends forms with their hidden fields and its origin, and follows no redirect by itself.
import { BROWSER } from './html.ts'
import type { Reply, TestService } from './service.ts'

export interface Browser {
  cookies: Map<string, string>
  open(path: string): Promise<Reply>
  /** Opens the page that has the form, fills in the fields and sends it to its action. */
  submit(page: string, action: string, fields?: Record<string, string>): Promise<Reply>
  /** Sends the given fields without opening a page first. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Reply>
  cookieHeader(): string
}

export function createBrowser(service: Pick<TestService, 'origin' | 'fetch'>, origin = service.origin): Browser {
  const cookies = new Map<string, string>()
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  async function ask(path: string, options: Parameters<TestService['fetch']>[1] = {}): Promise<Reply> {
    const sent: Record<string, string> = cookies.size > 0 ? { cookie: cookieHeader() } : {}
    const reply = await service.fetch(path, { ...options, headers: { accept: BROWSER, ...sent, ...options.headers } })
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (/max-age=0/i.test(line)) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return reply
  }

  const browser: Browser = {
    cookies,
    cookieHeader,
    open: (path) => ask(path),
    post: (path, fields, headers = {}) =>
      ask(path, {
        method: 'POST',
        type: 'application/x-www-form-urlencoded',
        body: new URLSearchParams(fields).toString(),
        headers: { origin, 'sec-fetch-site': 'same-origin', ...headers },
      }),
    async submit(page, action, fields = {}) {
      const reply = await ask(page)
      const form = formIn(reply.text, action)
      if (!form) throw new Error(`no form for ${action} on ${page} (${reply.status}): ${reply.text.slice(0, 300)}`)
      return browser.post(action, { ...form, ...fields })
    },
  }
  return browser
}

/** The hidden fields of the form with this action, or null when the page has no such form. */
export function formIn(html: string, action: string): Record<string, string> | null {
  const forms = [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
  const form = forms.find(([, attributes]) => attributes!.includes(`action="${action}"`))
  if (!form) return null
  const hidden = [...form[2]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return Object.fromEntries(hidden.map(([, name, value]) => [name!, value!.replaceAll('&amp;', '&')]))
}

export const PASSWORD = 'correct horse battery'
let serial = 0
export const newAddress = () => `person${++serial}-${process.pid}@example.com`

/** Signs up a new user and returns the signed-in browser. */
export async function signedUp(service: TestService, email = newAddress()): Promise<Browser & { email: string }> {
  const browser = createBrowser(service)
  const reply = await browser.submit('/sign-up', '/sign-up', { email, password: PASSWORD })
  if (reply.status !== 303) throw new Error(`sign-up answered ${reply.status}: ${reply.text.slice(0, 500)}`)
  return { ...browser, email }
}

export const userNamed = async (service: TestService, email: string) =>
  (await service.admin('GET', '/users?limit=1000')).body.data.find((user: { email: string }) => user.email === email)

export async function signedUpAdmin(service: TestService): Promise<Browser & { email: string }> {
  const browser = await signedUp(service)
  const { id } = await userNamed(service, browser.email)
  await service.admin('PATCH', `/users/${id}`, { role: 'admin' })
  return browser
}

export const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.open('/dashboard')).status === 200
