// Descriptions and keywords of npm packages, as one JSON object a line: node npm-descriptions.mjs <file>
// Started again, it goes on after the packages that the file has. Some 150,000 requests, about 25 minutes.
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import https from 'node:https'
import { npmHighImpact } from 'npm-high-impact'

const REQUESTS_AT_A_TIME = 10
const MOST_BYTES = 3_000_000
const OF_OUR_KIND = /mcp|-ai|ai-|gpt|llm|openai|agent-/

const file = process.argv[2]
if (!file) throw new Error('Give the file to write: node npm-descriptions.mjs <file>')
const all = JSON.parse(readFileSync(new URL('node_modules/all-the-package-names/names.json', import.meta.url), 'utf8'))
// The same pseudo-random order every time.
let state = 1
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}
const sample = (names, count) => {
  const keyed = names.map((name) => [random(), name]).sort((a, b) => a[0] - b[0])
  return keyed.slice(0, count).map(([, name]) => name)
}
const known = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
const done = new Set(known.map((line) => JSON.parse(line).name))
const names = new Set([
  ...npmHighImpact.slice(0, 12_000),
  ...sample(
    all.filter((name) => OF_OUR_KIND.test(name)),
    80_000,
  ),
  ...sample(all, 60_000),
])
const waiting = [...names].filter((name) => !done.has(name))
const out = createWriteStream(file, { flags: 'a' })
const agent = new https.Agent({ keepAlive: true, maxSockets: REQUESTS_AT_A_TIME })

// A package that is not there, too large or broken is left out.
const fetchPackage = (name) =>
  new Promise((resolve) => {
    const path = `/${name.replace('/', '%2f')}`
    const request = https.get({ host: 'registry.npmjs.org', path, agent, timeout: 20_000 }, (answer) => {
      const chunks = []
      let length = 0
      answer.on('data', (chunk) => {
        length += chunk.length
        if (length > MOST_BYTES) answer.destroy()
        chunks.push(chunk)
      })
      answer.on('error', () => resolve(undefined))
      answer.on('close', () => {
        try {
          resolve(answer.statusCode === 200 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined)
        } catch {
          resolve(undefined)
        }
      })
    })
    request.on('error', () => resolve(undefined))
    request.on('timeout', () => request.destroy())
  })

async function work() {
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const found = await fetchPackage(name)
    const latest = found?.versions?.[found['dist-tags']?.latest]
    if (!latest) continue
    const keywords = Array.isArray(latest.keywords) ? latest.keywords.filter((word) => typeof word === 'string') : []
    const license = typeof latest.license === 'string' ? latest.license : (latest.license?.type ?? '')
    out.write(`${JSON.stringify({ name, license, description: latest.description ?? '', keywords })}\n`)
  }
}
await Promise.all(Array.from({ length: REQUESTS_AT_A_TIME }, work))
out.end()
