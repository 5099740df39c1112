// `catalog categories`, `catalog tags` and `catalog directory-categories`: the taxonomy of listings.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import type { TermOperations } from '../../../features/listings/operations.ts'
import { bodies, termFilters } from '../../../features/listings/schema.ts'
import { addFields, addVersionGuard, givenOptions, guardGiven } from '../derived/schema-options.ts'
import { call, callOperation } from '../kit/client.ts'
import { addListOf, examples } from '../kit/lists.ts'
import { answer, printTable, say } from '../kit/output.ts'

type TermRow = Static<TermOperations['list']['data']>[number]

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
        const stored = await callOperation<TermOperations['put']>(put, `put_${one.replace(' ', '_')}`, {
          params: { slug },
          query: guardGiven(put),
          body,
        })
        answer(put, stored, () => say(`Saved ${one} ${stored.slug}: ${stored.name}.`))
      })
    addListOf<TermRow>(noun, {
      operation: `list_${one.replace(' ', '_')}_entries`,
      description: 'List by name, with how many listings use each.',
      empty: `Nothing yet. Make one with: catalog ${example}`,
      filters: kind === 'tag' ? termFilters : { q: termFilters.q },
      none: `No such ${one}.`,
      columns: [
        { title: 'SLUG', value: (term) => term.slug },
        { title: 'NAME', value: (term) => term.name, cuttable: true },
        { title: 'LISTINGS', value: (term) => term.listingsCount },
        ...('adult' in properties ? [{ title: 'ADULT', value: (term: TermRow) => 'adult' in term && term.adult }] : []),
      ],
      examples: examples(`${name} list`),
    })
    const remove = noun.command('delete').description(`Delete a ${one} that no listing uses.`)
    addVersionGuard(remove)
      .argument('<slug>', `Slug of the ${one}.`)
      .addHelpText('after', examples(`${name} delete old-one`))
      .action(async (slug: string) => {
        const data = await callOperation<TermOperations['remove']>(remove, `delete_${one.replace(' ', '_')}`, {
          params: { slug },
          query: guardGiven(remove),
        })
        answer(remove, data, () => say(`Deleted ${one} ${data.slug}.`))
      })
    if (kind === 'tag') addTagCommands(noun)
  }
}

/** What only tags have: partners make them. */
function addTagCommands(tags: Command): void {
  const confirm = tags
    .command('confirm')
    .description('Confirm tags that submissions made: readers always see them, and partners may make others.')
    .argument('<slugs...>', 'Slugs of the tags.')
  confirm
    .addHelpText('after', examples('tags list --submitted', 'tags confirm voice-cloning'))
    .action(async (slugs: string[]) => {
      const data = await call(confirm, 'confirm_tags', { body: { slugs } })
      answer(confirm, data, () => say(`Confirmed ${data.confirmed.length} of ${slugs.length}.`))
    })
  const mixed = tags.command('mixed').description('List tags whose users wrote different names.')
  mixed.addHelpText('after', examples('tags mixed')).action(async () => {
    const data = await call(mixed, 'list_mixed_tags', {})
    answer(mixed, data, () => {
      if (data.length === 0) return say('Every partner wrote the name of the tag.')
      printTable(
        data.flatMap((tag) => [
          ...tag.written.map(({ name, listings }) => ({ ...tag, other: name, listings })),
          ...(tag.unrecorded.length > 0 ? [{ ...tag, other: '(not stored)', listings: tag.unrecorded }] : []),
        ]),
        [
          { title: 'SLUG', value: ({ slug }) => slug },
          { title: 'NAME', value: ({ name }) => name, cuttable: true },
          { title: 'WRITTEN', value: ({ other }) => other, cuttable: true },
          { title: 'LISTINGS', value: ({ listings }) => listings.length },
        ],
      )
    })
  })
  const split = tags
    .command('split')
    .description('Give listings of a tag another tag in its place, which is made if there is none of that name.')
    .argument('<slug>', 'Slug of the tag.')
    .argument('<name>', 'Name of the other tag.')
    .argument('[listings...]', 'Slugs of the listings; without them those whose partners wrote the name.')
  split
    .addHelpText('after', examples('tags split c "C#"'))
    .action(async (tag: string, name: string, listings: string[]) => {
      const body = { tag, name, ...(listings.length > 0 ? { listings } : {}) }
      const data = await call(split, 'split_tag', { body })
      answer(split, data, () =>
        say(`Moved ${data.moved} ${data.moved === 1 ? 'listing' : 'listings'} to tag ${data.slug}.`),
      )
    })
}
