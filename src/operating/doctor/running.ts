// Compares the settings of the running service with those of this environment. No value is sent or shown.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { digestsOf, settingValues } from '../../features/settings/rules.ts'
import { OPERATOR_TOKEN } from '../../platform/data-folder.ts'
import { type Finding, okFinding, warningFinding } from './finding.ts'
import { originOf } from './network.ts'

const ABOUT = 'Running service'
const ANSWER_MS = 5_000

export async function examineRunning(config: Config, isRunning: boolean): Promise<Finding[]> {
  if (!isRunning) return []
  const token = config.ADMIN_TOKEN ?? tokenIn(config.DATA_DIR)
  if (!token)
    return [
      warningFinding(
        ABOUT,
        'Its settings cannot be compared: there is no operator token here.',
        'Run this with the DATA_DIR or ADMIN_TOKEN of the service.',
      ),
    ]
  const salt = randomBytes(16).toString('hex')
  const response = await fetch(`${originOf(config)}/api/admin/settings/compare`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ salt, digests: digestsOf(salt, settingValues(config)) }),
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: 'error',
  })
  return findingsOf(response)
}

async function findingsOf(response: Response): Promise<Finding[]> {
  if (response.status === 401)
    return [
      warningFinding(
        ABOUT,
        'It has another operator token: it was started with another ADMIN_TOKEN or DATA_DIR.',
        'Run this with the environment of the service, or restart the service with this one.',
      ),
    ]
  if (response.status === 404)
    return [
      warningFinding(
        ABOUT,
        'It is of an older version and cannot compare its settings.',
        'Restart it with this version.',
      ),
    ]
  if (!response.ok)
    return [warningFinding(ABOUT, `It answered ${response.status} when asked for its settings.`, 'Look at its log.')]
  const { data } = (await response.json()) as { data: { different: string[]; unknown: string[] } }
  const found: Finding[] = []
  if (data.different.length > 0)
    found.push(
      warningFinding(
        ABOUT,
        `It was started with another ${data.different.join(', ')} than this environment has.`,
        'Restart it if the environment was changed since, or run this with the environment of the service.',
      ),
    )
  if (data.unknown.length > 0)
    found.push(
      warningFinding(
        ABOUT,
        `It is of another version: only one of the two knows ${data.unknown.join(', ')}.`,
        'Restart it with this version.',
      ),
    )
  return found.length > 0 ? found : [okFinding(ABOUT, 'It has the same settings as this environment.')]
}

function tokenIn(dataDir: string): string | null {
  const file = join(dataDir, OPERATOR_TOKEN)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || null : null
}
