// Every path and method that the server serves, read from its router: this file lists none by hand.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { recordingLog } from './service.ts'

export interface ServedRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its parameters by name: `/tools/:slug`. */
  path: string
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Reads the routes of a service that was never started and whose database does not exist, so that no request can change anything. */
export async function servedRoutes(settings: Record<string, string> = {}): Promise<ServedRoute[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'catalog-routes-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere',
    ADMIN_TOKEN: 'routes-operator-token',
    RATE_LIMIT_SCALE: '1000',
    ...settings,
  })
  const { server, close } = await createApp(config, recordingLog([]))
  try {
    await server.ready()
    const served: ServedRoute[] = []
    for (const path of pathsIn(server.printRoutes({ commonPrefix: false })))
      for (const method of METHODS) {
        if (!server.hasRoute({ method, url: path })) continue
        const { statusCode } = await server.inject({ method, url: path.replaceAll(/:\w+/g, 'x') })
        if (statusCode !== 405) served.push({ method, path })
      }
    return served
  } finally {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const LINE = /^((?:│ {3}| {4})*)(?:├|└)── (\S+) \(/

/** The paths of the router's printed tree. Each line holds only the part that it adds to its parent line. */
function pathsIn(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent, part] = LINE.exec(line) ?? []
    if (part === undefined) return []
    const depth = indent!.length / 4
    above[depth] = (above[depth - 1] ?? '') + part
    return [above[depth]!]
  })
}

/** A value for each path parameter, by the path segment before it (`keys` for `/keys/:id`) or by the whole path before it. */
export type PathValues = Readonly<Record<string, string>>

/** The path with a real value for each parameter. */
export function filledPath(path: string, known: PathValues): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    const value = part.startsWith(':') ? (known[parts.join('/')] ?? known[parts.at(-1)!]) : part
    if (value === undefined) throw new Error(`No value for the parameter after ${parts.at(-1)} in ${path}.`)
    parts.push(value)
  }
  return parts.join('/')
}
