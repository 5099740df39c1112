// `catalog move`: moves the catalog from the place in the settings to another.
import type { Config } from '../../config.ts'
import type { Store } from '../../platform/database/postgres.ts'
import { OperatingError } from '../failures.ts'
import { checkPepper, copyFiles, type MovedFiles } from './files.ts'
import { isSamePlace, type MovePlace, openSource, openTarget, placeFromSettings, readPlace } from './place.ts'
import { type MovedRows, type MoveOptions, moveRows } from './rows.ts'

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
