// Other projects' programs, installed in tests/tools and run as a user would.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const toolsFolder = new URL('../tools', import.meta.url).pathname
export const HOW_TO_INSTALL = 'tests/tools is not installed. Run: npm ci --prefix tests/tools (or set INTEROP=1)'

export const inTools = (...path: string[]): string => join(toolsFolder, ...path)
export const areToolsInstalled = (): boolean => existsSync(inTools('node_modules', '.package-lock.json'))

export interface ToolResult {
  code: number
  stdout: string
  stderr: string
}

// Some programs write files into the home folder; they must not read or change the developer's.
const home = inTools('node_modules', '.home')

/** Runs a script of tests/tools/node_modules with the Node that runs the tests. `onLine` gets every line of its output as it comes. */
export const runTool = (
  script: string,
  args: string[],
  cwd = toolsFolder,
  onLine?: (line: string) => void,
): Promise<ToolResult> => run(process.execPath, [inTools('node_modules', script), ...args], cwd, onLine)

export function run(
  command: string,
  args: string[],
  cwd: string,
  onLine: (line: string) => void = () => {},
): Promise<ToolResult> {
  mkdirSync(home, { recursive: true })
  const environment = { ...process.env, HOME: home, NO_COLOR: '1', CI: 'true', REDOCLY_TELEMETRY: 'off' }
  const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
    createInterface(child.stdout).on('line', onLine)
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }))
  })
}

/** The end of a program's output, for the message of a failed expectation. */
export const endOfOutput = ({ stdout, stderr }: ToolResult): string => `${stdout}\n${stderr}`.slice(-4000)
