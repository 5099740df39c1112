// What must hold for every page of the console: for an administrator, for a visitor and for a user who is no administrator.
import { expect } from 'vitest'
import { type Browser, createBrowser, signedUp } from './browser.ts'
import { expectSound } from './html.ts'
import type { TestService } from './service.ts'

/** A text that breaks out of a page that does not escape it. */
export const HOSTILE_TEXT = `<img src=x onerror=alert(1)>"'</textarea></script>\u202e`

/** The page is valid for an administrator, sends a visitor to the sign-in page and refuses an ordinary user. */
export async function expectForAdministrators(service: TestService, admin: Browser, paths: string[]): Promise<void> {
  const visitor = createBrowser(service)
  const user = await signedUp(service)
  for (const path of paths) {
    const page = await admin.open(path)
    expect([path, page.status]).toEqual([path, 200])
    await expectSound(page.text, ['<img src=x onerror'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    const sent = await visitor.open(path)
    expect([path, sent.status, sent.headers.get('location')]).toEqual([
      path,
      303,
      `/sign-in?next=${encodeURIComponent(path)}`,
    ])
    expect([path, (await user.open(path)).status]).toEqual([path, 403])
  }
}

/** A form does nothing without the token of the session or with a wrong one. */
export async function expectRefused(admin: Browser, path: string, fields: Record<string, string>): Promise<void> {
  for (const token of [undefined, '', 'x'.repeat(43)]) {
    const reply = await admin.post(path, token === undefined ? fields : { ...fields, token })
    expect([path, reply.status]).toEqual([path, 403])
  }
}
