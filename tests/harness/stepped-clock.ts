// Loaded into a service before anything else (NODE_OPTIONS=--import=…): its wall clock differs from the real one by the milliseconds in the
// file named by CLOCK_FILE. Timers and performance.now() are unchanged, as they are when a real clock is set.
import { readFileSync } from 'node:fs'

const RealDate = Date
let stepMs = Number(readFileSync(process.env.CLOCK_FILE!, 'utf8'))
const now = () => RealDate.now() + stepMs

setInterval(() => {
  stepMs = Number(readFileSync(process.env.CLOCK_FILE!, 'utf8'))
}, 20).unref()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made) as unknown as object,
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
