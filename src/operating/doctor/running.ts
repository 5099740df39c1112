// Compares the settings of the running service with those of this environment. Only digests of the values are sent, and an attacker's
// `.env` file cannot make this send the operator token or the digests to another address.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Diagnosis, isMixture, SETTINGS, type Source, sourceOfTokenFile } from '../../config.ts'
import { digestsOf, settingValues } from '../../features/settings/rules.ts'
import { OPERATOR_TOKEN_FILE } from '../../platform/folder/data-folder.ts'
import { type DoctorFinding, findingsAbout } from './finding.ts'
import { originOf } from './network.ts'

const about = findingsAbout('Running service')
const ANSWER_MS = 5_000

export async function examineRunning(diagnosis: Diagnosis, isRunning: boolean): Promise<DoctorFinding[]> {
  if (!isRunning) return []
  const { config } = diagnosis
  const token = tokenOf(diagnosis)
  if (!token)
    return [
      about.warning(
        'Its settings cannot be compared: there is no operator token here.',
        'Run this with the DATA_DIR or ADMIN_TOKEN of the service.',
      ),
    ]
  const mixture = mixtureOf(diagnosis, token)
  if (mixture) return [mixture]
  const salt = randomBytes(16).toString('hex')
  const response = await fetch(`${originOf(config)}/api/admin/settings/compare`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.value}`, 'content-type': 'application/json' },
    body: JSON.stringify({ salt, digests: digestsOf(salt, settingValues(config)) }),
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: 'error',
  })
  return findingsOf(response)
}

async function findingsOf(response: Response): Promise<DoctorFinding[]> {
  if (response.status === 401)
    return [
      about.warning(
        'It has another operator token: it was started with another ADMIN_TOKEN or DATA_DIR.',
        'Run this with the environment of the service, or restart the service with this one.',
      ),
    ]
  if (response.status === 404)
    return [
      about.warning('It is of an older version and cannot compare its settings.', 'Restart it with this version.'),
    ]
  if (!response.ok)
    return [about.warning(`It answered ${response.status} when asked for its settings.`, 'Look at its log.')]
  const { data } = (await response.json()) as { data: { different: string[]; unknown: string[] } }
  const found: DoctorFinding[] = []
  if (data.different.length > 0)
    found.push(
      about.warning(
        `It was started with another ${data.different.join(', ')} than this environment has.`,
        'Restart it if the environment was changed since, or run this with the environment of the service.',
      ),
    )
  if (data.unknown.length > 0)
    found.push(
      about.warning(
        `It is of another version: only one of the two knows ${data.unknown.join(', ')}.`,
        'Restart it with this version.',
      ),
    )
  return found.length > 0 ? found : [about.ok('It has the same settings as this environment.')]
}

interface Token {
  value: string
  /** The setting or the file that it is from. */
  name: string
  from: Source
}

function tokenOf({ config, sourceOf }: Diagnosis): Token | null {
  if (config.ADMIN_TOKEN) return { value: config.ADMIN_TOKEN, name: 'ADMIN_TOKEN', from: sourceOf('ADMIN_TOKEN') }
  const file = join(config.DATA_DIR, OPERATOR_TOKEN_FILE)
  const value = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return value === '' ? null : { value, name: file, from: sourceOfTokenFile(file, sourceOf('DATA_DIR')) }
}

/** Refuses the comparison if HOST or PORT is from `.env` and a secret is not, or the other way round. */
function mixtureOf({ config, sourceOf }: Diagnosis, token: Token): DoctorFinding | null {
  const sources = new Map<string, Source>([[token.name, token.from]])
  for (const [name, { secret }] of Object.entries(SETTINGS))
    if (secret && sourceOf(name) === 'environment') sources.set(name, 'environment')
  const mixed = new Set<string>()
  for (const address of ['HOST', 'PORT'])
    for (const [secret, from] of sources) if (isMixture(sourceOf(address), from)) mixed.add(address).add(secret)
  if (mixed.size === 0) return null
  return about.warning(
    `Its settings are not compared, and no token was sent to ${originOf(config)}: ${[...mixed].join(', ')} are not all from one place. Some are from ${resolve('.env')}, the others are not.`,
    'If the service at that address is yours, set all of them in the environment, or all of them in that file.',
  )
}
