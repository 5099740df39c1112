// @module-tag once
// The rules of the architecture that a test can check: which folder may import which, and what a file may contain.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { features } from '../../src/features.ts'

const SRC = new URL('../../src', import.meta.url).pathname

interface Import {
  /** The path relative to src, or the name of the package. */
  to: string
  isOurs: boolean
  isType: boolean
}

interface SourceFile {
  path: string
  text: string
  imports: Import[]
}

const files: SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8')
    return { path, text, imports: importsOf(path, text) }
  })

function importsOf(path: string, text: string): Import[] {
  const statements = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'/gm),
    ...text.matchAll(/^import\s+()'([^']+)'/gm),
    ...text.matchAll(/\bimport\(()'([^']+)'\)/g),
  ]
  return statements.map(([, type, to]) => {
    const isOurs = to!.startsWith('.')
    return { to: isOurs ? relative(SRC, join(SRC, dirname(path), to!)) : to!, isOurs, isType: Boolean(type) }
  })
}

/** Lists every import of our own files that the rule does not allow, as text to read. */
const offences = (concerns: (path: string) => boolean, allows: (to: string, from: string) => boolean): string[] =>
  files
    .filter(({ path }) => concerns(path))
    .flatMap(({ path, imports }) =>
      imports.filter(({ to, isOurs }) => isOurs && !allows(to, path)).map(({ to }) => `${path} imports ${to}`),
    )
const users = (matches: (to: string) => boolean): { path: string; isType: boolean }[] =>
  files.flatMap(({ path, imports }) => imports.filter(({ to }) => matches(to)).map(({ isType }) => ({ path, isType })))
const isIn =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`))

// src/features.ts has the order: a feature imports only itself and the features before it.
const FEATURES: string[] = featureFolders(files.find(({ path }) => path === 'features.ts')!.text)

function featureFolders(text: string): string[] {
  const folders = new Map(
    [...text.matchAll(/import \{ (\w+) \} from '\.\/features\/([\w-]+)\/feature\.ts'/g)].map(([, name, folder]) => [
      name,
      folder!,
    ]),
  )
  const list = /const declared = \[([^\]]+)\]/.exec(text)![1]!
  return [...list.matchAll(/\w+/g)].map(([name]) => folders.get(name)!)
}
const featureOf = (path: string) => path.split('/')[1]!

describe('import direction', () => {
  test('the parser of this test finds the imports', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(200)
  })

  test('kernel imports none of our other folders', () => {
    expect(offences(isIn('kernel'), isIn('kernel'))).toEqual([])
  })

  test('search imports only itself, and no package but the one that stems words', () => {
    expect(offences(isIn('search'), isIn('search'))).toEqual([])
    const packages = files.filter(({ path }) => isIn('search')(path)).flatMap(({ imports }) => imports)
    expect(new Set(packages.filter(({ isOurs }) => !isOurs).map(({ to }) => to))).toEqual(new Set(['porter2']))
  })

  test('platform imports only kernel', () => {
    expect(offences(isIn('platform'), isIn('platform', 'kernel'))).toEqual([])
  })

  test('features import only kernel, search and earlier features', () => {
    expect(
      offences(isIn('features'), (to, from) => {
        if (isIn('kernel', 'search')(to)) return true
        return isIn('features')(to) && FEATURES.indexOf(featureOf(to)) <= FEATURES.indexOf(featureOf(from))
      }),
    ).toEqual([])
  })

  test('every feature has a place in the order', () => {
    const found = new Set(files.filter(({ path }) => isIn('features')(path)).map(({ path }) => featureOf(path)))
    expect([...found].filter((feature) => !FEATURES.includes(feature))).toEqual([])
  })

  test('surfaces import features, kernel and surfaces; the command line also imports serve, version, config, features and operating', () => {
    const allowed = isIn('features', 'kernel', 'surfaces')
    const onlyForCommandLine = new Set(['process/serve.ts', 'process/version.ts', 'config.ts', 'features.ts'])
    expect(
      offences(
        isIn('surfaces'),
        (to, from) =>
          allowed(to) || (isIn('surfaces/cli')(from) && (onlyForCommandLine.has(to) || isIn('operating')(to))),
      ),
    ).toEqual([])
  })

  test('inside surfaces, http imports no other surface, and the others import only http', () => {
    const surfaceOf = (path: string) => path.split('/')[1]!
    expect(
      offences(
        isIn('surfaces'),
        (to, from) => !isIn('surfaces')(to) || [surfaceOf(from), 'http'].includes(surfaceOf(to)),
      ),
    ).toEqual([])
  })

  test('operating imports platform, kernel, the list and the rules of features and the settings', () => {
    const alone = new Set(['config.ts', 'features.ts', 'process/version.ts'])
    const allowed = (to: string) => isIn('operating', 'platform', 'kernel')(to) || alone.has(to)
    expect(offences(isIn('operating'), (to) => allowed(to) || /^features\/.*rules\.ts$/.test(to))).toEqual([])
  })

  test('only app.ts, starting, process/serve.ts and operating import platform', () => {
    const found = users((to) => isIn('platform')(to)).filter(
      ({ path }) => !isIn('platform', 'operating', 'starting')(path),
    )
    expect(new Set(found.map(({ path }) => path))).toEqual(new Set(['app.ts', 'process/serve.ts']))
  })

  test('app.ts is a page that knows nothing inside a feature', () => {
    const { imports, text } = files.find(({ path }) => path === 'app.ts')!
    expect(imports.length).toBeLessThanOrEqual(25)
    expect(imports.filter(({ to }) => isIn('features')(to))).toEqual([])
    expect(text.split('\n').length).toBeLessThanOrEqual(110)
  })

  test('only process/serve.ts imports app.ts', () => {
    expect(new Set(users((to) => to === 'app.ts').map(({ path }) => path))).toEqual(new Set(['process/serve.ts']))
  })

  test('value imports between files form no cycle', () => {
    const edges = new Map(
      files.map(({ path, imports }) => [
        path,
        imports.filter(({ isOurs, isType }) => isOurs && !isType).map(({ to }) => to),
      ]),
    )
    const cycles: string[] = []
    const visit = (path: string, trail: string[]) => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      else if (!done.has(path)) {
        for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
        done.add(path)
      }
    }
    const done = new Set<string>()
    for (const { path } of files) visit(path, [])
    expect(cycles).toEqual([])
  })
})

describe('features', () => {
  const tablesOf = (folder: string): string[] =>
    files
      .filter(({ path }) => isIn(`features/${folder}`)(path) && path.endsWith('tables.ts'))
      .flatMap(({ text }) => [...text.matchAll(/pgTable\(\s*'(\w+)'|embeddingTable\('(\w+)'/g)])
      .map(([, name, other]) => name ?? other!)

  test('declare what they do with rows of their own tables, and nothing else names these', () => {
    const foreign = features.flatMap(({ personalData = {}, loadedRows = [] }, at) => {
      const { labels = {}, texts = {}, keptAtDeletion = [], ofAccount = [] } = personalData
      const held = [
        ...Object.keys(labels),
        ...Object.keys(texts),
        ...keptAtDeletion.map(({ table }) => table),
        ...ofAccount,
      ]
      const loaded = loadedRows.flatMap(({ select }) => [...select.matchAll(/ from (\w+)/g)].map(([, name]) => name!))
      const own = tablesOf(FEATURES[at]!)
      return [...held, ...loaded].filter((table) => !own.includes(table)).map((table) => `${FEATURES[at]}: ${table}`)
    })
    // A table of the platform, which is no feature.
    expect(foreign).toEqual(['people: changes'])
    const elsewhere = files.filter(({ path }) => path === 'features/people/rules.ts' || isIn('operating/doctor')(path))
    const tables = new Set(FEATURES.flatMap(tablesOf))
    expect(tables.size).toBeGreaterThan(40)
    const named = elsewhere.flatMap(({ path, text }) =>
      [...text.matchAll(/ from (\w+)|'(\w+)'/g)]
        .filter(([, from, quoted]) => tables.has(from ?? quoted!))
        .map(([found]) => `${path}:${found}`),
    )
    // The check needs to know whether Stripe is set up, which a feature does not.
    expect(named).toEqual(
      ['customers', 'subscriptions'].map((name) => `operating/doctor/payments.ts: from billing_${name}`),
    )
  })
})

describe('closed lists of values', () => {
  const literalsIn = (text: string): string =>
    [...text.matchAll(/'([^']+)'/g)]
      .map(([, value]) => value)
      .sort()
      .join(' ')
  const declared = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^export const ([A-Z_]+) = \[('[^\]]+')\] as const$/gm)].map(([, name, values]) => ({
      path,
      name: name!,
      values: literalsIn(values!),
    })),
  )

  test('are declared once: tables, schemas, forms and types derive from the declaration', () => {
    expect(declared.length).toBeGreaterThan(20)
    const again = declared.flatMap(({ path, name, values }) =>
      files.flatMap((file) => {
        const found = [...file.text.matchAll(/'[^'\n]+'(?:\s*[,|]\s*'[^'\n]+')+/g)].filter(
          ([text]) => literalsIn(text) === values,
        )
        const expected = file.path === path ? 1 : 0
        return found.length > expected ? [`${name} of ${path} again in ${file.path}`] : []
      }),
    )
    expect(again).toEqual([])
  })
})

describe('libraries', () => {
  const isPackage = (name: string) => (to: string) => to === name || to.startsWith(`${name}/`)

  test('Drizzle is imported only in queries, tables and platform; the kernel imports its type', () => {
    const allowed = (path: string) => /(^|[/.])(queries|tables)\.ts$/.test(path) || isIn('platform')(path)
    expect(
      users(isPackage('drizzle-orm')).filter(
        ({ path, isType }) => !allowed(path) && !(path === 'kernel/context.ts' && isType),
      ),
    ).toEqual([])
  })

  test('fastify is imported only in surfaces and app.ts', () => {
    expect(users(isPackage('fastify')).filter(({ path }) => !isIn('surfaces')(path) && path !== 'app.ts')).toEqual([])
  })

  test.each([
    ['@electric-sql/pglite', 'platform'],
    ['pg', 'platform'],
    ['ioredis', 'platform'],
    ['pino', 'platform'],
    ['commander', 'surfaces/cli'],
    ['@modelcontextprotocol/server', 'surfaces/mcp'],
    ['hono', 'surfaces/pages'],
    ['better-auth', 'platform'],
    ['stripe', 'platform'],
  ])('%s is imported only in %s', (name, folder) => {
    expect(users(isPackage(name)).filter(({ path }) => !isIn(folder)(path))).toEqual([])
  })

  test('process.env is read only in config.ts', () => {
    const found = files.filter(({ text }) => /process\s*\.\s*env\b|loadEnvFile/.test(text))
    expect(found.map(({ path }) => path)).toEqual(['config.ts'])
  })
})

describe('source files', () => {
  test('have no cast through unknown, and commands type no answer of an operation by hand', () => {
    expect(files.filter(({ text }) => text.includes('as unknown as')).map(({ path }) => path)).toEqual([])
    const commands = files.filter(({ path }) => isIn('surfaces/cli')(path))
    expect(commands.filter(({ text }) => /\bcall</.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('have names in kebab-case, with the role after a dot', () => {
    expect(files.map(({ path }) => path).filter((path) => !/(^|\/)[a-z0-9]+([-.][a-z0-9]+)*\.ts$/.test(path))).toEqual(
      [],
    )
  })

  test('are named after what they hold, not utils, helpers, common, types, service or manager', () => {
    // Surfaces receive an object that is the whole service, so this name says what the file holds.
    const except = new Set(['surfaces/http/service.ts'])
    const named = /(^|[/.-])(utils?|helpers?|common|types|services?|managers?|misc|shared|base)\.ts$/
    expect(files.map(({ path }) => path).filter((path) => named.test(path) && !except.has(path))).toEqual([])
  })

  test('export no name that another file exports for something else', () => {
    const places = new Map<string, Set<string>>()
    const declared = /^export (?:async )?(?:function\*?|const|class|type|interface|enum) (\w+)/gm
    for (const { path, text } of files)
      for (const [, name] of text.matchAll(declared)) places.set(name!, (places.get(name!) ?? new Set()).add(path))
    expect(places.size).toBeGreaterThan(1_000)
    expect([...places].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths])).toEqual([])
  })

  test('of features and surfaces parse addresses with parseUrl, which no address keeps busy', () => {
    const reads = files.filter(({ path }) => isIn('features', 'surfaces')(path) && !isIn('surfaces/cli')(path))
    expect(reads.filter(({ text }) => /\bURL\.(?:parse|canParse)\(/.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('import each other with the extension .ts', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.filter(({ to, isOurs }) => isOurs && !/\.(ts|json)$/.test(to)).map(({ to }) => `${path}: ${to}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('the files of a feature', () => {
  const role = (name: string) =>
    files.filter(({ path }) => isIn('features')(path) && new RegExp(`(^|[/.])${name}\\.ts$`).test(path))

  test('named rules.ts have no I/O, no clock, no async and no database', () => {
    for (const { path, text, imports } of role('rules')) {
      expect([path, text.match(/\basync\b|\bawait\b|Date\.now|new Date\(\)|\bfetch\(/g)]).toEqual([path, null])
      const values = imports.filter(({ isType }) => !isType).map(({ to }) => to)
      expect([
        path,
        values.filter((to) => /queries\.ts$|tables\.ts$|context\.ts$|^node:(fs|net|http)/.test(to)),
      ]).toEqual([path, []])
    }
  })

  test('named queries.ts throw no user errors', () => {
    for (const { path, imports } of role('queries'))
      expect([path, imports.some(({ to }) => to === 'kernel/errors.ts')]).toEqual([path, false])
  })

  test('named schema.ts use no columns and no queries', () => {
    for (const { path, imports } of role('schema'))
      expect([path, imports.filter(({ to }) => /(queries|tables)\.ts$/.test(to))]).toEqual([path, []])
  })

  test('named operations.ts use no SQL and no tables', () => {
    for (const { path, imports } of role('operations'))
      expect([path, imports.filter(({ to }) => /tables\.ts$/.test(to) || to.startsWith('drizzle'))]).toEqual([path, []])
  })
})
