// Loaded into a service before anything else (NODE_OPTIONS=--import=…): its wall clock is apart from the real one by as many milliseconds
// as the file named in CLOCK_FILE says. Timers and performance.now() go on as they are, as they do when a real clock is set.
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
