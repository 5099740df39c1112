// Runs the command line in its own process and an empty folder, without the test's settings.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
// An empty folder, so that the command does not read the .env file beside the sources.
const emptyFolder = mkdtempSync(join(tmpdir(), 'catalog-command-'))

export interface CommandResult {
  status: number | null
  out: string
  err: string
}

export function startCommand(args: string[], environment: Record<string, string>, cwd = emptyFolder): ChildProcess {
  const { PATH, HOME } = process.env
  const NODE_COMPILE_CACHE = join(tmpdir(), 'catalog-test-compile-cache')
  return spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function catalog(
  args: string[],
  environment: Record<string, string>,
  cwd?: string,
): Promise<CommandResult> {
  const child = startCommand(args, environment, cwd)
  const output = { out: '', err: '' }
  child.stdout!.on('data', (chunk) => (output.out += chunk))
  child.stderr!.on('data', (chunk) => (output.err += chunk))
  const status = await new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return { status, ...output }
}
