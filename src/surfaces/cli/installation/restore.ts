// `catalog restore`: puts a backup into DATA_DIR, completely or not at all.
import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { fileError } from '../kit/files.ts'
import { answer, examples, remark, say } from '../kit/output.ts'
import { bytes, counted, startProgress } from '../kit/progress.ts'
import { shortTime } from '../kit/table.ts'
import { refuseWithPostgres, remarkLeftOut } from './backup.ts'
import { localConfig, withReadableErrors } from './operating.ts'

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('Put a backup into DATA_DIR, which must be empty. The service must not run.')
    .argument('<file>', 'File that catalog backup wrote; - for standard input.')
    .option('--replace', 'Put what is in DATA_DIR aside, into a folder named before-restore-….')
    .addHelpText('after', examples('restore catalog.tar.gz', 'restore --replace catalog.tar.gz'))
  command.action(async (file: string, { replace = false }: { replace?: boolean }) => {
    const config = localConfig()
    refuseWithPostgres(config, 'pg_restore puts its backup back')
    const { restore } = await import('../../../operating/restore.ts')
    const progress = startProgress()
    const onProgress = (done: { files: number; bytes: number }) =>
      progress.show(`Restoring  ${counted(done.files, 'file', 'files')}, ${bytes(done.bytes)}`)
    const restored = await withReadableErrors(() =>
      restore(config, file === '-' ? process.stdin : chunksOf(file), { replace, onProgress }),
    ).finally(() => progress.end())
    const { manifest, contents, counts, pending, old, pepperFits } = restored
    answer(command, { ...contents, madeAt: manifest.madeAt, ...counts, old, pepperFits }, () => {
      say(
        `Restored the backup of ${shortTime(manifest.madeAt)} into ${config.DATA_DIR}: ${counted(counts.tools, 'tool', 'tools')}, ${counted(counts.directories, 'directory', 'directories')}, ${counted(counts.keys, 'key', 'keys')}.`,
      )
      if (pending > 0) say(`The next start brings it up to date with ${counted(pending, 'migration', 'migrations')}.`)
      if (old) say(`What was there before is in ${old}. Remove it when you no longer need it.`)
    })
    remarkLeftOut('Not restored', contents.leftOut)
    if (!pepperFits)
      remark("KEY_PEPPER is not the one these keys were made with. Set it to the backed-up service's before starting.")
    if (manifest.pictures === 'bucket') remark('Its pictures are in a bucket: set S3_BUCKET as it was.')
  })
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw fileError('read', file, error)
  }
}
