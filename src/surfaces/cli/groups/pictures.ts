// `catalog pictures`: uploads pictures, and shows how far the copies of listings' pictures are.
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { pictureFilters } from '../../../features/pictures/operations.ts'
import { PICTURE_USES } from '../../../kernel/own-addresses.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, CommandError, say } from '../kit/output.ts'
import { counted, startProgress } from '../kit/progress.ts'
import { type PrintedRow, shortTime } from '../kit/table.ts'

// The service recognises the picture by its content; the media type is only needed for the request.
const TYPES: Record<string, string> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
  '.gif': 'gif',
  '.avif': 'avif',
}

interface PictureProgress {
  isOn: boolean
  waiting: number
  done: number
  failed: number
}

const WATCH_MS = 2_000

const sentence = ({ waiting, done, failed }: PictureProgress): string =>
  `${counted(done, 'listing has', 'listings have')} all copies, ${counted(waiting, 'waits', 'wait')}, ${failed.toLocaleString('en-US')} failed.`

const troubles = (row: PrintedRow): string =>
  (row.parts as { part: string; outcome: string; note: string }[])
    .filter(({ outcome }) => outcome !== 'copied')
    .map(({ part, note }) => `${part}: ${note}`)
    .join(' ')

export function addPictures(program: Command): void {
  const pictures = program
    .command('pictures')
    .description('Store pictures, and look at the copies of listings’ pictures.')
  pictures.addHelpText('after', examples('pictures upload proof.png', 'pictures status --watch', 'pictures retry'))
  addUpload(pictures)
  addStatus(pictures)
  addList(pictures, {
    operation: 'list_pictures',
    description: 'List listings that have had pictures on other hosts, last changed first.',
    empty: 'No listing has had pictures on another host.',
    filters: pictureFilters,
    none: 'No listing is in this state.',
    columns: [
      { title: 'KIND', value: (row) => row.kind },
      { title: 'LISTING', value: (row) => row.slug },
      { title: 'STATE', value: (row) => row.state },
      { title: 'TRIES', value: (row) => row.attempts },
      { title: 'LAST', value: (row) => shortTime(row.updatedAt) },
      { title: 'TROUBLE', value: troubles, cuttable: true },
    ],
    examples: examples('pictures list --state failed', 'pictures list --json'),
  })
  const retry = pictures
    .command('retry')
    .description('Try the pictures that failed again, and fetch those again whose file is missing.')
  retry.addHelpText('after', examples('pictures retry')).action(async () => {
    const { retried } = await call(retry, 'retry_pictures')
    answer(retry, { retried }, () =>
      say(
        `${counted(retried, 'listing is', 'listings are')} tried again. Missing files are looked for in the background.`,
      ),
    )
  })
}

function addUpload(pictures: Command): void {
  const upload = pictures.command('upload').description('Store a picture and print its address.')
  upload
    .argument('<file>', 'PNG, JPEG, WebP, GIF or AVIF, at most 10 MiB.')
    .addOption(new Option('--use <use>', 'What it is for, which decides its size.').choices(PICTURE_USES))
    .addHelpText('after', examples('pictures upload proof.png', 'pictures upload logo.png --use icon'))
    .action(async (file: string, { use }: { use?: string }) => {
      const type = TYPES[extname(file).toLowerCase()]
      if (!type) throw new CommandError(`${file} must end in ${Object.keys(TYPES).join(', ')}.`)
      const content = await readFile(file).catch((error: Error) => {
        throw new CommandError(`Cannot read ${file}: ${error.message}.`)
      })
      const picture = await call(upload, 'upload_picture', {
        query: use ? { use } : {},
        bytes: { type: `image/${type}`, content },
      })
      answer(upload, picture, () => say(picture.url))
    })
}

function addStatus(pictures: Command): void {
  const status = pictures.command('status').description('Show how far the copies of listings’ pictures are.')
  status
    .option('--watch', 'Wait until none waits any more, and show the progress.')
    .addHelpText('after', examples('pictures status', 'pictures status --watch'))
    .action(async ({ watch = false }: { watch?: boolean }) => {
      const ask = () => call(status, 'get_picture_progress')
      let found = await ask()
      const line = startProgress()
      while (watch && found.isOn && found.waiting > 0) {
        line.show(sentence(found))
        await sleep(WATCH_MS)
        found = await ask()
      }
      line.end()
      answer(status, found, () => say(`${sentence(found)}${found.isOn ? '' : ' Copying is off (MIRROR_PICTURES).'}`))
    })
}
