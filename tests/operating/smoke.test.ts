// The shared smoke script calls a running service by the names of the contract, as external tools do.
// @module-tag slow
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spawnService } from '../harness/process.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'

const script = new URL('../../../shared/smoke.mjs', import.meta.url).pathname

test.skipIf(!existsSync(script))('the shared smoke script passes its catalog, partners and support parts', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-smoke-'))
  const service = await spawnService({ DATA_DIR, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  try {
    await service.ready()
    const env = { ...process.env, CATALOG_URL: service.origin, ADMIN_TOKEN }
    const { stdout, status } = spawnSync(process.execPath, [script, 'catalog', 'partners', 'support'], {
      env,
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/^\d+ passed, 0 failed$/m)
    expect(status).toBe(0)
  } finally {
    await service.kill('SIGTERM')
    rmSync(DATA_DIR, { recursive: true, force: true })
  }
})
