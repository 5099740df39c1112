// `catalog pictures`: uploads proof pictures for `catalog submissions record --proof-url`.
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Command } from 'commander'
import { call } from './client.ts'
import { examples } from './lists.ts'
import { answer, CommandError, say } from './output.ts'

// The service recognises the picture by its content; the media type is only needed for the request.
const TYPES: Record<string, string> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
  '.gif': 'gif',
  '.avif': 'avif',
}

export function addPictures(program: Command): void {
  const pictures = program.command('pictures').description('Store pictures, such as proofs of a listing.')
  const upload = pictures.command('upload').description('Store a picture and print its address.')
  upload
    .argument('<file>', 'PNG, JPEG, WebP, GIF or AVIF, at most 10 MiB.')
    .addHelpText('after', examples('pictures upload proof.png'))
    .action(async (file: string) => {
      const type = TYPES[extname(file).toLowerCase()]
      if (!type) throw new CommandError(`${file} must end in ${Object.keys(TYPES).join(', ')}.`)
      const content = await readFile(file).catch((error: Error) => {
        throw new CommandError(`Cannot read ${file}: ${error.message}.`)
      })
      const picture = await call<{ url: string }>(upload, 'upload_picture', {
        bytes: { type: `image/${type}`, content },
      })
      answer(upload, picture, () => say(picture.url))
    })
}
