// `catalog pictures`: stored pictures, and the copies of listings' pictures. `catalog enrichments`: what was read from tools' sites.
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Option } from 'commander'
import { UNUSED_OUTCOMES } from '../../../features/enrichment/rules.ts'
import type { OperatorAnswers } from '../../../features.ts'
import { MAX_PICTURE_TEXT } from '../../../kernel/interfaces/picture-store.ts'
import { command, type Given, type Group, list } from '../derived/declared.ts'
import { call } from '../kit/client.ts'
import { fileError } from '../kit/files.ts'
import { CommandError, counted, startProgress } from '../kit/output.ts'

// The media type is only needed for the request: the service recognises a picture by its content.
const MEDIA_SUBTYPES: Record<string, string> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
  '.gif': 'gif',
  '.avif': 'avif',
}
const POLL_EVERY_MS = 2_000

type Progress = OperatorAnswers['get_picture_progress']

const progressInWords = ({ waiting, done, failed }: Progress): string =>
  `${counted(done, 'listing has', 'listings have')} all copies, ${counted(waiting, 'waits', 'wait')}, ${failed.toLocaleString('en-US')} failed.`

/** The notes on those parts of a listing (logo, screenshot …) that `isTrouble` accepts, in one text. */
const troubles = <P extends { part: string; note: string }>(
  parts: readonly P[],
  isTrouble: (part: P) => boolean,
): string =>
  parts
    .filter(isTrouble)
    .map(({ part, note }) => `${part}: ${note}`)
    .join(' ')

export const picturesCommands: Group = {
  examples: ['pictures upload proof.png', 'pictures status --watch', 'pictures retry'],
  path: 'media',
  commands: [
    command('upload_picture', {
      name: 'upload',
      description: 'Store a picture and print its address.',
      arguments: { file: ['<file>', `PNG, JPEG, WebP, GIF or AVIF, at most ${MAX_PICTURE_TEXT}.`] },
      fields: { use: 'What it is for, which decides its size.' },
      examples: ['pictures upload proof.png', 'pictures upload logo.png --use icon'],
      prepare: async ({ text }) => ({ bytes: await readPicture(text('file')) }),
      says: ({ url }) => url,
    }),
    command('get_picture_progress', {
      name: 'status',
      description: 'Show how far the copies of listings’ pictures are.',
      options: [new Option('--watch', 'Wait until none waits any more, and show the progress.')],
      examples: ['pictures status', 'pictures status --watch'],
      perform: watchProgress,
      says: (found) => `${progressInWords(found)}${found.isOn ? '' : ' Copying is off (MIRROR_PICTURES).'}`,
    }),
    list('list_pictures', {
      description: 'List listings that have had pictures on other hosts, last changed first.',
      empty: 'No listing has had pictures on another host.',
      none: 'No listing is in this state.',
      columns: {
        KIND: 'kind',
        LISTING: 'slug',
        STATE: 'state',
        TRIES: 'attempts',
        LAST: { time: 'updatedAt' },
        TROUBLE: { cut: ({ parts }) => troubles(parts, ({ outcome }) => outcome !== 'copied') },
      },
      examples: ['pictures list --state failed', 'pictures list --json'],
    }),
    command('retry_pictures', {
      description: 'Try the pictures that failed again, and fetch those again whose file is missing.',
      examples: ['pictures retry'],
      says: ({ retried }) =>
        `${counted(retried, 'listing is', 'listings are')} tried again. Missing files are looked for in the background.`,
    }),
  ],
}

async function readPicture(file: string): Promise<{ type: string; content: Uint8Array }> {
  const type = MEDIA_SUBTYPES[extname(file).toLowerCase()]
  if (!type) throw new CommandError(`${file} must end in ${Object.keys(MEDIA_SUBTYPES).join(', ')}.`)
  const content = await readFile(file).catch((error) => {
    throw fileError('read', file, error)
  })
  return { type: `image/${type}`, content }
}

async function watchProgress({ command }: Given): Promise<Progress> {
  const ask = () => call(command, 'get_picture_progress')
  let found = await ask()
  const line = startProgress()
  while (command.opts().watch && found.isOn && found.waiting > 0) {
    line.show(progressInWords(found))
    await sleep(POLL_EVERY_MS)
    found = await ask()
  }
  line.end()
  return found
}

const FAILED_OUTCOMES: ReadonlySet<string> = new Set(['unreachable', ...UNUSED_OUTCOMES])

export const enrichmentsCommands: Group = {
  examples: ['enrichments list', 'enrichments retry acme-writer'],
  arguments: { toolId: ['<tool>', 'Identifier or slug of the tool.'] },
  commands: [
    list('list_enrichments', {
      description: 'List enrichments, newest first.',
      empty: 'No listing was enriched yet.',
      none: 'No listing is in this state.',
      columns: {
        TOOL: ({ tool }) => tool.slug,
        STATE: 'state',
        TRIES: 'attempts',
        LAST: { time: 'updatedAt' },
        TROUBLE: { cut: ({ parts }) => troubles(parts, ({ outcome }) => FAILED_OUTCOMES.has(outcome)) },
      },
      examples: ['enrichments list', 'enrichments list --json'],
    }),
    command('retry_enrichment', {
      description: 'Look at the site of a tool once more.',
      examples: ['enrichments retry acme-writer'],
      says: ({ tool }) => `Looking at the site of ${tool.slug} again.`,
    }),
  ],
}
