// Does what the Dockerfile does, without a container engine: an empty folder with its files and the production dependencies only.
// @module-tag long
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../harness/process.ts'
import { freePort } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const folder = temporaryFolder('production')

test('the service starts with the files of the image, serves its demo catalog and knows its commands', async () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names]) => names!.split(/\s+/))
  for (const name of copied) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  const install = /^RUN (npm ci (?:.*\\\n)*.*)$/m.exec(dockerfile)![1]!
  execFileSync('bash', ['-c', install], { cwd: folder, stdio: 'pipe' })
  for (const name of ['vitest', 'typescript', '@biomejs', 'drizzle-kit'])
    expect([name, existsSync(join(folder, 'node_modules', name))]).toEqual([name, false])

  const PORT = String(await freePort())
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    NODE_ENV: 'production',
    PORT,
    DATA_DIR: join(folder, 'data'),
    LOG_FORMAT: 'json',
  }
  const child = spawn(process.execPath, ['src/catalog.mjs', 'serve'], { cwd: folder, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(output)
      return (await fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => null))?.status === 200
    }, 60_000)
    await until(() => /Premium key\s+aid_/.test(output), 30_000)
    const key = /Premium key\s+(aid_\w+)/.exec(output)![1]!
    const reply = await fetch(`http://127.0.0.1:${PORT}/api/v1/tools?q=notes`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect([reply.status, ((await reply.json()) as any).data.length > 0]).toEqual([200, true])
    expect((await fetch(`http://127.0.0.1:${PORT}/`)).status).toBe(200)
    const health = /CMD \["node", "-e", (".*")\]$/m.exec(dockerfile)![1]!
    execFileSync(process.execPath, ['-e', JSON.parse(health)], { env })
    const doctor = execFileSync(process.execPath, ['src/catalog.mjs', 'doctor', '--json'], { cwd: folder, env })
    expect(JSON.parse(doctor.toString()).problems).toBe(0)
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('close', resolve))
  }
}, 300_000)
