import type { Log } from '../kernel/context.ts'

/** For commands that print their own messages; log lines of the database would mix with these. */
export const silentLog: Log = { request() {}, info() {}, warn() {}, error() {} }
