import { sql } from 'drizzle-orm'
import { type AnyPgColumn, customType, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { directories, tools } from '../catalog/tables.ts'

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** The vectors of the listings of one kind. A row is made when a listing first needs a vector, and deleted with the listing. */
const embeddingTable = (name: string, listing: () => AnyPgColumn) =>
  pgTable(
    name,
    {
      listingId: text('listing_id').primaryKey().references(listing, { onDelete: 'cascade' }),
      /** The model that was last asked for the vector; null while none was. */
      model: text(),
      /** Hash of the text that the model got. */
      hash: text(),
      dimensions: integer(),
      /** One signed byte for each number. Only the direction counts, so there is no scale. null: none was made yet, or it was refused. */
      vector: bytea(),
      madeAt: timeColumn('made_at'),
      /** When a vector is to be made; null: nothing to do. A time in the future: an attempt is under way, or comes later. */
      dueAt: timeColumn('due_at'),
      /** Why the endpoint gave no vector of this text. */
      problem: text(),
    },
    (table) => [index(`${name}_due`).on(table.dueAt).where(sql`${table.dueAt} is not null`)],
  )

export const toolEmbeddings = embeddingTable('tool_embeddings', () => tools.id)
export const directoryEmbeddings = embeddingTable('directory_embeddings', () => directories.id)
