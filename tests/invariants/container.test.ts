// @module-tag once
// Checks Dockerfile and compose.yaml as far as possible without building an image.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { SETTINGS } from '../../src/config.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const text = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const dockerfile = text('Dockerfile')
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line))
const copied = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1))

describe('Dockerfile', () => {
  test('copies only what exists and .dockerignore allows', () => {
    expect(copied.length).toBeGreaterThan(5)
    const allowed = text('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    for (const source of copied) {
      expect([source, existsSync(join(ROOT, source))]).toEqual([source, true])
      expect(allowed).toContain(source)
    }
    // .dockerignore allows nothing else.
    expect(allowed.filter((source) => !copied.includes(source))).toEqual([])
  })

  test('leaves out data, secrets and everything that is not named', () => {
    const lines = text('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
    expect(lines[0]).toBe('*')
    expect(lines).toContain('**/.env*')
  })

  test('uses Node of the major version that the service needs, from a named image, in two stages', () => {
    const images = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1])
    const needed = JSON.parse(text('package.json')).engines.node.replace('>=', '')
    expect(images).toEqual([`node:${needed}-bookworm-slim`, `node:${needed}-bookworm-slim`])
  })

  test('runs as a user without rights, keeps data in a volume, has no development tools and has a health check', () => {
    const last = (name: string) => instructions.findLast((line) => line.startsWith(`${name} `))
    expect(last('USER')).toBe('USER node')
    expect(last('VOLUME')).toBe('VOLUME /data')
    expect(dockerfile).toMatch(/npm ci --omit=dev/)
    expect(dockerfile).toMatch(/HEALTHCHECK[\s\S]*\/healthz/)
    expect(instructions.indexOf(last('USER')!)).toBeGreaterThan(
      instructions.findLastIndex((line) => line.startsWith('RUN ')),
    )
  })

  test('sets only settings that exist', () => {
    const names = [...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=/g)].map(([, name]) => name!)
    expect(names.filter((name) => !(name in SETTINGS))).toEqual(['NODE_ENV'])
  })
})

describe('compose.yaml', () => {
  const compose = parse(text('compose.yaml'), { strict: true, uniqueKeys: true })
  const { catalog, postgres, redis } = compose.services

  test('sets only settings that exist, and contains no secret', () => {
    expect(Object.keys(catalog.environment).filter((name) => !(name in SETTINGS))).toEqual([])
    for (const name of ['KEY_PEPPER', 'ADMIN_TOKEN']) expect(catalog.environment[name]).toMatch(/^\$\{\w+:\?.+\}$/)
    expect(catalog.environment.DATABASE_URL).toMatch(/:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:/)
  })

  test('passes every setting of .env on, except those that belong to this file', () => {
    expect(catalog.env_file).toEqual([{ path: '.env', required: false }])
    expect(catalog.environment).toMatchObject({ HOST: '0.0.0.0', PORT: '3000', DATA_DIR: '/data' })
    expect(catalog.ports).toEqual([`127.0.0.1:3000:${catalog.environment.PORT}`])
    expect(catalog.volumes).toEqual([`data:${catalog.environment.DATA_DIR}`])
  })

  test('uses only variables that .env.example lists without a value', () => {
    const asked = new Set([...text('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
    const given = text('.env.example')
      .split('\n')
      .filter((line) => /^\w/.test(line))
    expect(given.map((line) => line.split('=')[0]).sort()).toEqual([...asked].sort())
    for (const line of given) expect(line).toMatch(/=$/)
  })

  test('restarts all three services, has health checks, and starts the catalog after the others', () => {
    for (const service of [catalog, postgres, redis]) expect(service.restart).toBe('unless-stopped')
    for (const service of [postgres, redis]) expect(service.healthcheck.test.length).toBeGreaterThan(1)
    expect(catalog.depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    })
  })

  test('declares the volumes that it uses, and names images by tag', () => {
    const used = [catalog, postgres, redis]
      .flatMap((service) => service.volumes ?? [])
      .map((volume: string) => volume.split(':')[0])
    expect(used.sort()).toEqual(Object.keys(compose.volumes).sort())
    for (const { image } of [catalog, postgres, redis]) expect(image).toMatch(/^[a-z-]+:\d/)
  })
})

test('git ignores the file with secrets', () => {
  expect(text('.gitignore')).toMatch(/^\.env$/m)
})
