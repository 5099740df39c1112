// `catalog move`: moves the catalog from the place in the settings to another, with its files that are not in the database: the pepper of its
// keys, the operator token, the pictures.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Store } from '../../platform/database/postgres.ts'
import { OPERATOR_TOKEN_FILE, PEPPER_FILE, PICTURES_FOLDER } from '../../platform/folder/data-folder.ts'
import { OperatingError } from '../operating-error.ts'
import { isRightPepper, readPepper } from '../pepper.ts'
import { type MovedRows, type MoveOptions, moveRows } from './move-rows.ts'
import { isSamePlace, type MovePlace, openSource, openTarget, placeFromSettings, readPlace } from './place.ts'

export { type MovePlace, placeTitle } from './place.ts'

interface MoveOutcome extends MovedRows, MovedFiles {
  from: MovePlace
  to: MovePlace
}

export async function move(config: Config, destination: string, options: MoveOptions): Promise<MoveOutcome> {
  const from = placeFromSettings(config)
  const to = readPlace(destination)
  if (isSamePlace(from, to)) throw new OperatingError('That is where the catalog is already.')
  const opened: Store[] = []
  try {
    const source = await openSource(from)
    opened.push(source)
    await checkPepper(config, source)
    const target = await openTarget(to)
    opened.push(target)
    options.onProgress('Carrying secrets and pictures along')
    const files = copyFiles(config, to)
    return { ...(await moveRows(source, target, options)), ...files, from, to }
  } finally {
    for (const store of opened) await store.close()
  }
}

interface MovedFiles {
  /** Where the pepper is: in the setting, or in a file of the old or the new data folder. */
  pepper: { in: 'setting' } | { in: 'file'; path: string }
  /** The names of the files that were copied. */
  carried: string[]
}

/** Refuses a wrong pepper before the move: afterwards the operator could not tell which one was right. */
async function checkPepper(config: Config, source: Store): Promise<void> {
  const path = join(config.DATA_DIR, PEPPER_FILE)
  const pepper = readPepper(config)
  if ((await isRightPepper(source.query, pepper)) === false)
    throw new OperatingError(
      pepper === null
        ? `The pepper of the keys is missing: there is none in ${path}. Set KEY_PEPPER, or DATA_DIR to the folder that has it.`
        : "KEY_PEPPER (or DATA_DIR/key-pepper) is not the one the old database's keys were made with. Set KEY_PEPPER to that one.",
    )
}

/** Runs before the rows are moved: a new database without its pepper would be useless. */
function copyFiles(config: Config, target: MovePlace): MovedFiles {
  const from = config.DATA_DIR
  const folder = target.kind === 'embedded' && target.dataDir !== from ? target.dataDir : null
  const carried: string[] = []
  if (folder) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of [
      ...(config.KEY_PEPPER ? [] : [PEPPER_FILE]),
      ...(config.ADMIN_TOKEN ? [] : [OPERATOR_TOKEN_FILE]),
    ])
      if (copySecret(join(from, name), join(folder, name))) carried.push(name)
    if (!config.S3_BUCKET && existsSync(join(from, PICTURES_FOLDER))) {
      cpSync(join(from, PICTURES_FOLDER), join(folder, PICTURES_FOLDER), { recursive: true, force: false })
      carried.push(PICTURES_FOLDER)
    }
  }
  return {
    pepper: config.KEY_PEPPER ? { in: 'setting' } : { in: 'file', path: join(folder ?? from, PEPPER_FILE) },
    carried,
  }
}

function copySecret(from: string, to: string): boolean {
  if (!existsSync(from)) return false
  const secret = readFileSync(from, 'utf8')
  if (!existsSync(to)) writeFileSync(to, secret, { mode: 0o600, flag: 'wx', flush: true })
  else if (readFileSync(to, 'utf8') !== secret)
    throw new OperatingError(`${to} exists and holds another secret, which may still be needed. Name another folder.`)
  return true
}
