// `catalog collections`: lists of tools and directories with a text, which visitors see at /collections.
import type { Command } from 'commander'
import { collectionBody } from '../../../features/site/collections.schema.ts'
import { addFields, addFilters, addVersionGuard, givenOptions, guardGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { examples } from '../kit/lists.ts'
import { answer, say } from '../kit/output.ts'

const EXAMPLE =
  'collections put write-better-mail --name "Write better mail" --tools acme-writer,quill --directories launch-list'

export function addCollections(program: Command): void {
  const noun = program.command('collections').description('List, create, replace or delete a collection.')
  noun.addHelpText('after', examples('collections list', EXAMPLE))
  const list = noun.command('list', { isDefault: true }).description('List all collections by name.')
  list.addHelpText('after', examples('collections list')).action(async () => {
    const collections = await call(list, 'list_collections', {})
    answer(list, collections, () => {
      for (const { slug, name, tools, directories, published } of collections)
        say(`${slug}: ${name} (${tools.length} tools, ${directories.length} directories${published ? '' : ', hidden'})`)
      if (collections.length === 0) say(`Nothing yet. Make one with: catalog ${EXAMPLE}`)
    })
  })
  const put = noun
    .command('put')
    .description('Create the collection, or replace it whole: what is not given gets its default.')
  const { name, ...others } = collectionBody.properties
  addFields(put.argument('<slug>', 'Slug of the collection.'), { name }, ['name'])
  // With --no-published, because a collection is visible unless it is said.
  addVersionGuard(addFilters(put, others))
    .addHelpText('after', examples(EXAMPLE))
    .action(async (slug: string) => {
      const body = givenOptions(put, Object.keys(collectionBody.properties))
      const stored = await call(put, 'put_collection', { params: { slug }, query: guardGiven(put), body })
      answer(put, stored, () => say(`Saved collection ${stored.slug}: ${stored.name}.`))
    })
  const remove = noun.command('delete').description('Delete a collection; its tools and directories stay.')
  addVersionGuard(remove)
    .argument('<slug>', 'Slug of the collection.')
    .addHelpText('after', examples('collections delete old-one'))
    .action(async (slug: string) => {
      const data = await call(remove, 'delete_collection', { params: { slug }, query: guardGiven(remove) })
      answer(remove, data, () => say(`Deleted collection ${data.slug}.`))
    })
}
