// `catalog tools` and `directories`: stored listings, drafts too. `catalog categories`, `tags` and `directory-categories`: the taxonomy.
import { Option } from 'commander'
import type { Static } from 'typebox'
import type { ListedKind } from '../../../features/catalog/schema.ts'
import type { ListingOperations, TermOperations } from '../../../features/listings/operations.ts'
import { command, commandNamed, type Group, type GroupCommand, listNamed } from '../derived/declared.ts'
import { readObject } from '../kit/files.ts'
import { printTable, say } from '../kit/output.ts'

type Listing<O extends keyof ListingOperations> = Static<ListingOperations[O]['data']>
type Term<O extends keyof TermOperations> = Static<TermOperations[O]['data']>

/** `name` and `one`: the kind in the plural and the singular. `slug` and `content`: the example in the help. */
function listingGroup(name: string, one: ListedKind, slug: string, content: string): Group {
  return {
    examples: [`${name} put ${slug} --file ${slug}.json`, `${name} delete ${slug}`],
    arguments: { slug: ['<slug>', `Slug of the ${one}.`] },
    commands: [
      listNamed<Listing<'list'>[number]>(`list_${one}_entries`, {
        description: `List ${name}, drafts too, newest first.`,
        empty: `No ${name} yet. Make one with: catalog ${name} put ${slug} --file ${slug}.json`,
        none: `No such ${one}.`,
        columns: {
          SLUG: 'slug',
          NAME: { cut: 'name' },
          PUBLISHED: (listing) =>
            'hiddenReason' in listing && listing.hiddenReason
              ? `${listing.published} (${listing.hiddenReason})`
              : listing.published,
          FEATURED: 'featured',
          WEBSITE: { cut: 'website' },
          MADE: { day: 'createdAt' },
        },
        examples: [`${name} list --q acme`, `${name} list --no-published`],
      }),
      commandNamed<Listing<'get'>>(`get_${one}_entry`, {
        name: 'get',
        description: `Show a ${one} as it is stored, in the form that put takes.`,
        examples: [`${name} get ${slug} > ${slug}.json`],
        says: (stored) => JSON.stringify(stored, null, 2),
      }),
      commandNamed<Listing<'put'>>(`put_${one}`, {
        description: `Create the ${one}, or replace it whole: what is not given becomes empty.`,
        fields: false,
        options: [
          new Option('--file <file>', 'JSON file with its fields; - for standard input.').makeOptionMandatory(),
        ],
        examples: [`${name} put ${slug} --file ${slug}.json`],
        note: `The file:\n  ${content}`,
        prepare: async ({ command }) => ({ body: await readObject(command.opts().file) }),
        says: (stored) => `Saved ${one} ${stored.slug}: ${stored.name}${stored.published ? '' : ' (not published)'}.`,
      }),
      commandNamed<Listing<'change'>>(`change_${one}`, {
        description: `Change some fields of a ${one}, publish, hide or feature it.`,
        fields: { published: 'Publish it.', featured: 'Feature it.' },
        examples: [`${name} change ${slug} --no-published`, `${name} change ${slug} --name "Another name"`],
        says: (stored, { body }) => `Changed ${one} ${stored.slug}: ${Object.keys(body).join(', ')}.`,
      }),
      commandNamed<Listing<'remove'>>(`delete_${one}`, {
        description: `Delete the ${one} for good. To hide it, put it with "published": false.`,
        examples: [`${name} delete ${slug}`, `${name} delete ${slug} --yes`],
        asks: ({ text }) => `Delete the ${one} ${text('slug')} for good?`,
        says: (deleted) => `Deleted ${one} ${deleted.slug}.`,
      }),
    ],
  }
}

export const toolsCommands = listingGroup(
  'tools',
  'tool',
  'acme-writer',
  '{"name":"Acme Writer","website":"https://acme.example.com"}',
)
export const directoriesCommands = listingGroup('directories', 'directory', 'launch-list', '{"name":"Launch List"}')

/** `name` and `one`: the kind in the plural and the singular. `put`: the example of the put command in the help. */
function termGroup(name: string, one: string, put: string, moreCommands: readonly GroupCommand[] = []): Group {
  const noun = one.replace(' ', '_')
  const isTag = one === 'tag'
  return {
    examples: [put],
    arguments: { slug: ['<slug>', `Slug of the ${one}.`] },
    commands: [
      commandNamed<Term<'put'>>(`put_${noun}`, {
        description: `Create the ${one}, or replace it whole: what is not given becomes empty.`,
        examples: [put],
        says: (stored) => `Saved ${one} ${stored.slug}: ${stored.name}.`,
      }),
      listNamed<Term<'list'>[number]>(`list_${noun}_entries`, {
        description: 'List by name, with how many listings use each.',
        // Submissions create only tags, so the filter exists only for them.
        fields: isTag ? {} : { submitted: false },
        empty: `Nothing yet. Make one with: catalog ${put}`,
        none: `No such ${one}.`,
        columns: {
          SLUG: 'slug',
          NAME: { cut: 'name' },
          LISTINGS: 'listingsCount',
          ...(one === 'directory category' ? {} : { ADULT: (term) => 'adult' in term && term.adult }),
        },
        examples: [`${name} list`],
      }),
      commandNamed<Term<'remove'>>(`delete_${noun}`, {
        description: `Delete a ${one} that no listing uses.`,
        examples: [`${name} delete old-one`],
        says: ({ slug }) => `Deleted ${one} ${slug}.`,
      }),
      ...moreCommands,
    ],
  }
}

const listingsText = (count: number) => `${count} ${count === 1 ? 'listing' : 'listings'}`

/** Commands that only tags have, because the submissions of partners create tags. */
const tagCommands: readonly GroupCommand[] = [
  command('confirm_tags', {
    name: 'confirm',
    description:
      'Confirm tags that submissions made: readers see them from now on, and they no longer count towards the 200 that a partner may make.',
    arguments: { slugs: ['<slugs...>', 'Slugs of the tags.'] },
    examples: ['tags list --submitted', 'tags confirm voice-cloning'],
    says: ({ confirmed }, { texts }) => `Confirmed ${confirmed.length} of ${texts('slugs').length}.`,
  }),
  command('list_mixed_tags', {
    name: 'mixed',
    description: 'List tags for which partners sent another name than the tag has, such as C# for the tag C++.',
    examples: ['tags mixed'],
    prints: (mixed) => {
      if (mixed.length === 0) return say('No partner sent another name for any tag.')
      const rows = mixed.flatMap((tag) => [
        ...tag.written.map(({ name, listings }) => ({ ...tag, other: name, listings })),
        ...(tag.unrecorded.length > 0
          ? [{ ...tag, other: '(sent before 1.2, not stored)', listings: tag.unrecorded }]
          : []),
      ])
      printTable(rows, {
        SLUG: 'slug',
        NAME: { cut: 'name' },
        WRITTEN: { cut: 'other' },
        LISTINGS: ({ listings }) => listings.length,
      })
    },
  }),
  command('split_tag', {
    name: 'split',
    description: 'Give listings of a tag another tag in its place, which is made if there is none of that name.',
    arguments: {
      tag: ['<slug>', 'Slug of the tag.'],
      name: ['<name>', 'Name of the other tag.'],
      listings: ['[listings...]', 'Slugs of the listings; without them those whose partners wrote the name.'],
    },
    examples: ['tags split c "C#"'],
    says: (split) => `Moved ${listingsText(split.moved)} to tag ${split.slug}.`,
  }),
]

export const categoriesCommands = termGroup(
  'categories',
  'category',
  'categories put writing --name Writing --icon ✍️ --description "Drafting, editing and translating text."',
)
export const tagsCommands = termGroup('tags', 'tag', 'tags put api --name API', tagCommands)
export const directoryCategoriesCommands = termGroup(
  'directory-categories',
  'directory category',
  'directory-categories put saas --name SaaS',
)
