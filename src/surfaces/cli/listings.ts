// `catalog tools` and `catalog directories`: single listings, written as JSON.
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { call } from './client.ts'
import { confirm } from './confirm.ts'
import { fileError } from './files.ts'
import { examples } from './lists.ts'
import { answer, CommandError, say } from './output.ts'

const NOUNS = [
  {
    name: 'tools',
    one: 'tool',
    slug: 'acme-writer',
    example: '{"name":"Acme Writer","website":"https://acme.example.com"}',
  },
  { name: 'directories', one: 'directory', slug: 'launch-list', example: '{"name":"Launch List"}' },
] as const

export function addListings(program: Command): void {
  for (const noun of NOUNS) {
    const parent = program.command(noun.name).description(`Create, replace or delete a ${noun.one} listing.`)
    parent.addHelpText(
      'after',
      examples(`${noun.name} put ${noun.slug} --file ${noun.slug}.json`, `${noun.name} delete ${noun.slug}`),
    )
    addPut(parent, noun)
    addDelete(parent, noun)
  }
}

type Noun = (typeof NOUNS)[number]

function addPut(parent: Command, { name, one, slug: exampleSlug, example }: Noun): void {
  const put = parent
    .command('put')
    .description(`Create the ${one}, or replace it whole: what is not given becomes empty.`)
  put
    .argument('<slug>', `Slug of the ${one}.`)
    .requiredOption('--file <file>', 'JSON file with its fields; - for standard input.')
    .addHelpText('after', examples(`${name} put ${exampleSlug} --file ${exampleSlug}.json`))
    .addHelpText('after', `\nThe file:\n  ${example}`)
    .action(async (slug: string, { file }: { file: string }) => {
      const stored = await call<{ slug: string; name: string; published: boolean }>(put, `put_${one}`, {
        params: { slug },
        body: await readObject(file),
      })
      answer(put, stored, () =>
        say(`Saved ${one} ${stored.slug}: ${stored.name}${stored.published ? '' : ' (not published)'}.`),
      )
    })
}

function addDelete(parent: Command, { name, one, slug: exampleSlug }: Noun): void {
  const remove = parent
    .command('delete')
    .description(`Delete the ${one} for good. To hide it, put it with "published": false.`)
  remove
    .argument('<slug>', `Slug of the ${one}.`)
    .option('--yes', 'Do not ask.')
    .addHelpText('after', examples(`${name} delete ${exampleSlug}`, `${name} delete ${exampleSlug} --yes`))
    .action(async (slug: string, { yes }: { yes?: boolean }) => {
      if (!yes) await confirm(remove, `Delete the ${one} ${slug} for good?`)
      const data = await call<{ slug: string }>(remove, `delete_${one}`, { params: { slug } })
      answer(remove, data, () => say(`Deleted ${one} ${data.slug}.`))
    })
}

async function readObject(file: string): Promise<object> {
  const name = file === '-' ? 'Standard input' : file
  const content = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((error) => {
    throw fileError('read', file, error)
  })
  let value: unknown
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new CommandError(`${name} is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandError(`${name} must hold one JSON object.`)
  return value
}
