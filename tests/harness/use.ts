import { afterAll, beforeAll } from 'vitest'
import { startService, type TestService } from './service.ts'

/**
 * Opens something before the tests of a file or a `describe` and closes it after them; what was opened last is closed first. Returns at
 * once an object that has the properties of the opened one as soon as that is open; the opened one is a plain object, not of a class.
 */
export function use<Opened extends { close(): unknown }>(open: () => Promise<Opened>): Opened {
  const handle = {} as Opened
  let opened: Opened | undefined
  beforeAll(async () => {
    const own = await open()
    opened = own
    // Not copies: tests set some properties, such as the next answer of a server, and others change by themselves.
    for (const name of namesOf(own)) {
      const property = { get: () => own[name], set: (value: Opened[typeof name]) => void (own[name] = value) }
      Object.defineProperty(handle, name, { ...property, enumerable: true })
    }
  })
  afterAll(() => opened?.close())
  return handle
}

const namesOf = Object.keys as <T extends object>(of: T) => (keyof T)[]

/** A service for the tests of a file or a `describe`; settings that are known only later need `use(() => startService(…))`. */
export const useService = (...settings: Parameters<typeof startService>): TestService =>
  use(() => startService(...settings))
