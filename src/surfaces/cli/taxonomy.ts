// `catalog categories`, `catalog tags` and `catalog directory-categories`: the taxonomy of listings.
import type { Command } from 'commander'
import { bodies, termFilters } from '../../features/listings/schema.ts'
import { call } from './client.ts'
import { addList, examples } from './lists.ts'
import { answer, say } from './output.ts'
import { addFields, addVersionGuard, givenOptions, guardGiven } from './schema-options.ts'
import type { PrintedRow } from './table.ts'

const TAXONOMY_COMMANDS = [
  {
    name: 'categories',
    one: 'category',
    kind: 'category',
    example: 'categories put writing --name Writing --icon ✍️ --description "Drafting, editing and translating text."',
  },
  { name: 'tags', one: 'tag', kind: 'tag', example: 'tags put api --name API' },
  {
    name: 'directory-categories',
    one: 'directory category',
    kind: 'directoryCategory',
    example: 'directory-categories put saas --name SaaS',
  },
] as const

export function addTaxonomy(program: Command): void {
  for (const { name, one, kind, example } of TAXONOMY_COMMANDS) {
    const { properties, required } = bodies[kind]
    // A field with a default may be left out, although the schema of the stored row requires it.
    const mandatory = required.filter((field) => !('default' in properties[field as keyof typeof properties]))
    const noun = program.command(name).description(`List, create, replace or delete a ${one}.`)
    noun.addHelpText('after', examples(example))
    const put = noun
      .command('put')
      .description(`Create the ${one}, or replace it whole: what is not given becomes empty.`)
    addVersionGuard(addFields(put.argument('<slug>', `Slug of the ${one}.`), properties, mandatory))
      .addHelpText('after', examples(example))
      .action(async (slug: string) => {
        const body = givenOptions(put, Object.keys(properties))
        const stored = await call<{ slug: string; name: string }>(put, `put_${one.replace(' ', '_')}`, {
          params: { slug },
          query: guardGiven(put),
          body,
        })
        answer(put, stored, () => say(`Saved ${one} ${stored.slug}: ${stored.name}.`))
      })
    addList(noun, {
      operation: `list_${one.replace(' ', '_')}_entries`,
      description: 'List by name, with how many listings use each.',
      empty: `Nothing yet. Make one with: catalog ${example}`,
      filters: termFilters,
      none: `No such ${one}.`,
      columns: [
        { title: 'SLUG', value: (term) => term.slug },
        { title: 'NAME', value: (term) => term.name, cuttable: true },
        { title: 'LISTINGS', value: (term) => term.listingsCount },
        ...('adult' in properties ? [{ title: 'ADULT', value: (term: PrintedRow) => term.adult }] : []),
      ],
      examples: examples(`${name} list`),
    })
    const remove = noun.command('delete').description(`Delete a ${one} that no listing uses.`)
    addVersionGuard(remove)
      .argument('<slug>', `Slug of the ${one}.`)
      .addHelpText('after', examples(`${name} delete old-one`))
      .action(async (slug: string) => {
        const data = await call<{ slug: string }>(remove, `delete_${one.replace(' ', '_')}`, {
          params: { slug },
          query: guardGiven(remove),
        })
        answer(remove, data, () => say(`Deleted ${one} ${data.slug}.`))
      })
  }
}
