// The console as a test needs it: somebody who may open it, somebody who may not, and what every page of it must hold.
import { expect } from 'vitest'
import { type Browser, createBrowser, signedUp } from './browser.ts'
import { expectSound } from './html.ts'
import type { TestService } from './service.ts'

/** Texts that do harm where they are not escaped. */
export const HOSTILE = `<img src=x onerror=alert(1)>"'</textarea></script>\u202e`

/** Renders for an administrator, soundly; a visitor is sent to sign in, and an ordinary user is refused. */
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

/** Neither without the token of the session nor with another's does a form do anything. */
export async function expectRefused(admin: Browser, path: string, fields: Record<string, string>): Promise<void> {
  for (const token of [undefined, '', 'x'.repeat(43)]) {
    const reply = await admin.post(path, token === undefined ? fields : { ...fields, token })
    expect([path, reply.status]).toEqual([path, 403])
  }
}
