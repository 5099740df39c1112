// What lies in DATA_DIR, and how a restored whole takes the place of what was there. A kill at any moment leaves either the old
// or the new: the whole is prepared aside, one rename decides for it, and whoever opens the folder next finishes what was decided.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export const DATABASE = 'database'
export const PICTURES = 'media'
export const PEPPER = 'key-pepper'
export const OPERATOR_TOKEN = 'admin-token'
const TEMPORARY = 'tmp'
/** Where a restore prepares what it puts in place. */
export const PREPARED = 'restoring'

// Decided, the old still being moved away; then the new being moved in. The stamp says where the old goes.
const DECIDED = /^restored-(.+)$/
const MOVING_IN = /^settling-(.+)$/
const OLD = /^before-restore-/
// The lock is held on files of this name while all this goes on.
const LOCK = /^lock(-|$)/

export const temporaryIn = (dataDir: string): string => join(dataDir, TEMPORARY)

/** Names of everything in the folder that is worth keeping; not a list of ours, so that what comes later is kept too. */
export function contentOf(dataDir: string): string[] {
  const passing = (name: string) =>
    name === TEMPORARY || name === PREPARED || [DECIDED, MOVING_IN, OLD, LOCK].some((form) => form.test(name))
  return existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => !passing(name))
        .sort()
    : []
}

/** Decides for what lies in PREPARED. Answers where the old content is afterwards, or null where there was none. */
export function putInPlace(dataDir: string, now: Date): string | null {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const hadContent = contentOf(dataDir).length > 0
  renameSync(join(dataDir, PREPARED), join(dataDir, `restored-${stamp}`))
  syncFolder(dataDir)
  settle(dataDir)
  return hadContent ? join(dataDir, `before-restore-${stamp}`) : null
}

/** Finishes a restore that was decided and cut short, and clears away one that was not. Only with the folder's lock. */
export function settle(dataDir: string): void {
  rmSync(join(dataDir, PREPARED), { recursive: true, force: true })
  for (const name of readdirSync(dataDir)) {
    const stamp = DECIDED.exec(name)?.[1]
    if (!stamp) continue
    const old = join(dataDir, `before-restore-${stamp}`)
    for (const each of contentOf(dataDir)) {
      mkdirSync(old, { recursive: true, mode: 0o700 })
      renameSync(join(dataDir, each), join(old, each))
    }
    syncFolder(dataDir)
    renameSync(join(dataDir, name), join(dataDir, `settling-${stamp}`))
  }
  for (const name of readdirSync(dataDir)) {
    if (!MOVING_IN.test(name)) continue
    for (const each of readdirSync(join(dataDir, name))) renameSync(join(dataDir, name, each), join(dataDir, each))
    syncFolder(dataDir)
    rmSync(join(dataDir, name), { recursive: true })
  }
}

/** A rename is on the disk only when its folder is. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
