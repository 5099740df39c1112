// Runs once before the interop tests: in CI the tools must be installed; elsewhere their tests are skipped.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { areToolsInstalled, HOW_TO_INSTALL, inTools, toolsFolder } from './tools.ts'

export default function setup(): void {
  const isRequired = process.env.CI === 'true' || process.env.INTEROP === '1'
  if (areToolsInstalled() && !(isRequired && areToolsOutdated())) return
  if (!isRequired) {
    console.warn(`${HOW_TO_INSTALL}. The tests that need it are skipped.`)
    return
  }
  const { status } = spawnSync('npm', ['ci', '--prefix', toolsFolder], { stdio: 'inherit' })
  if (status !== 0) throw new Error('npm ci --prefix tests/tools failed.')
}

const changedAt = (path: string) => statSync(path).mtimeMs
const areToolsOutdated = () =>
  changedAt(inTools('package-lock.json')) > changedAt(inTools('node_modules', '.package-lock.json'))
