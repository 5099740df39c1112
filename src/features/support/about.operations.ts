// Which submissions a conversation is about, for the page on which administrators answer it.
import { Type } from 'typebox'
import { orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { stringType } from '../../kernel/schema.ts'
import { websiteKey } from '../listings/website-key.ts'
import { findInboxItem, listSubmissionsAbout } from './queries.ts'
import { namedTexts } from './rules.ts'
import { CONVERSATION_ID } from './schema.ts'

const MOST_SUBMISSIONS = 3

export const findSubmissionsAbout = pageOperation({
  name: 'find_submissions_about',
  summary: 'The submissions that a conversation is about',
  access: 'operator',
  parameters: Type.Object({
    id: stringType('Identifier of the conversation.', CONVERSATION_ID),
  }),
  data: Type.Array(Type.String(), {
    description:
      'Identifiers, newest first: submissions of the same partner whose product the metadata names by id, slug, website or name, or whose founder is the customer.',
  }),
  run: async (ctx, { id }) => {
    const item = orNotFound(await findInboxItem(ctx.db, id), 'Conversation')
    // Submissions of sandboxes are not in the queue.
    if (item.test) return { data: [] }
    const { texts, email } = namedTexts(item)
    const websiteKeys = texts.filter((text) => URL.canParse(text)).map(websiteKey)
    return {
      data: await listSubmissionsAbout(ctx.db, item.clientId, { texts, websiteKeys, email }, MOST_SUBMISSIONS),
    }
  },
})
