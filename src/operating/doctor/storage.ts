// Checks whether DATA_DIR can be written, has free space, and hides its secrets from other users.
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config, Diagnosis } from '../../config.ts'
import { isDiskFull } from '../../kernel/errors.ts'
import { OPERATOR_TOKEN_FILE, PEPPER_FILE } from '../../platform/folder/data-folder.ts'
import { SHORTEST_SECRET } from '../../platform/folder/secrets.ts'
import { type DoctorFinding, findingsAbout, reasonOf } from './finding.ts'

const aboutStorage = findingsAbout('Storage')
const aboutSecrets = findingsAbout('Secrets')

const MEGABYTE = 1024 * 1024
// With less free space than SCARCE a few imports fill the disk; with less than TOO_LITTLE the next write may fail.
const SCARCE = 2048 * MEGABYTE
const TOO_LITTLE = 200 * MEGABYTE
const MAKE_ROOM = 'Make room, or move DATA_DIR to a larger disk: a full disk stops every write.'

export function examineStorage({ DATA_DIR }: Config): DoctorFinding[] {
  if (!existsSync(DATA_DIR)) {
    const parent = nearestExisting(DATA_DIR)
    try {
      accessSync(parent, constants.W_OK | constants.X_OK)
    } catch {
      return [
        aboutStorage.problem(
          `DATA_DIR ${DATA_DIR} does not exist and cannot be made in ${parent}.`,
          `Make it and give it to the service's user: mkdir -p ${DATA_DIR} && chown USER ${DATA_DIR}`,
        ),
      ]
    }
    return [aboutStorage.ok(`DATA_DIR ${DATA_DIR} does not exist yet and will be made.`), examineSpace(parent)]
  }
  if (!statSync(DATA_DIR).isDirectory())
    return [aboutStorage.problem(`DATA_DIR ${DATA_DIR} is no folder.`, 'Set DATA_DIR to a folder.')]
  let names: string[] = []
  const probe = join(DATA_DIR, `.doctor-${process.pid}`)
  try {
    names = readdirSync(DATA_DIR)
    writeFileSync(probe, 'x', { flush: true })
  } catch (error) {
    return [
      aboutStorage.problem(
        `DATA_DIR ${DATA_DIR} cannot be written: ${reasonOf(error)}.`,
        isDiskFull(error) ? MAKE_ROOM : `Give it to the service's user: chown -R USER ${DATA_DIR}`,
      ),
      ...leftByRestores(DATA_DIR, names),
    ]
  } finally {
    rmSync(probe, { force: true })
  }
  return [
    aboutStorage.ok(`DATA_DIR ${DATA_DIR} can be written.`),
    examineSpace(DATA_DIR),
    ...leftByRestores(DATA_DIR, names),
  ]
}

const leftByRestores = (folder: string, names: readonly string[]): DoctorFinding[] =>
  names
    .filter((name) => name.startsWith('before-restore-'))
    .map((name) =>
      aboutStorage.warning(
        `${name} in DATA_DIR is what a restore replaced.`,
        `Remove it once all is well: rm -r ${join(folder, name)}`,
      ),
    )

const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)))

function examineSpace(folder: string): DoctorFinding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const says = `${Math.floor(free / MEGABYTE).toLocaleString('en-US')} MB are free in ${folder}.`
  if (free < TOO_LITTLE) return aboutStorage.problem(says, MAKE_ROOM)
  return free < SCARCE ? aboutStorage.warning(says, MAKE_ROOM) : aboutStorage.ok(says)
}

// The permissions of the group and of all other users.
const OTHERS = 0o077

export function examineSecrets({ config, secretsInFile }: Diagnosis): DoctorFinding[] {
  const { DATA_DIR } = config
  const found: DoctorFinding[] = []
  const files = [
    ...(config.ADMIN_TOKEN ? [] : [join(DATA_DIR, OPERATOR_TOKEN_FILE)]),
    ...(config.KEY_PEPPER ? [] : [join(DATA_DIR, PEPPER_FILE)]),
    ...(secretsInFile.length > 0 ? ['.env'] : []),
  ].filter((path) => existsSync(path))
  for (const path of files) {
    const mode = statSync(path).mode & 0o777
    if (mode & OTHERS)
      found.push(
        aboutSecrets.problem(
          `${path} has mode ${mode.toString(8)}: others on this machine may read it.`,
          `chmod 600 ${path}`,
        ),
      )
    if (path !== '.env') found.push(...examineSecretFile(path))
  }
  const mode = existsSync(DATA_DIR) ? statSync(DATA_DIR).mode & 0o777 : 0
  if (mode & OTHERS)
    found.push(
      aboutSecrets.warning(
        `DATA_DIR has mode ${mode.toString(8)}: others on this machine may look into it.`,
        `chmod 700 ${DATA_DIR}`,
      ),
    )
  return found.length > 0
    ? found
    : [aboutSecrets.ok(files.length > 0 ? `Only this user may read ${files.join(', ')}.` : 'None in files yet.')]
}

function examineSecretFile(path: string): DoctorFinding[] {
  try {
    if (readFileSync(path, 'utf8').trim().length >= SHORTEST_SECRET) return []
    return [aboutSecrets.problem(`${path} holds no usable secret.`, 'Put the right one back from a backup.')]
  } catch (error) {
    return [
      aboutSecrets.problem(
        `${path} cannot be read: ${reasonOf(error)}.`,
        `Run this as the service's user, or: chown USER ${path}`,
      ),
    ]
  }
}
