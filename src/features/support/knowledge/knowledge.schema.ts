import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  NAME_PATTERN,
  NOT_BLANK_PATTERN,
  numberType,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { version } from '../../audit/schema.ts'
import { passageSchema } from '../inbox/inbox.schema.ts'
import { ARTICLE_ID, MESSAGE_ID } from '../schema.ts'

export const MAX_ARTICLES = 500
export const MAX_TITLE = 200
export const MAX_ARTICLE_BODY = 20_000
/** The most characters of all articles of a partner, or of those for all partners: every question searches them in memory. */
export const MAX_KNOWLEDGE = 1_000_000

const title = stringType('What it is about, in the words that a customer would use.', 'Refunds', {
  pattern: NAME_PATTERN,
  maxLength: MAX_TITLE,
})
const body = stringType(
  'Plain text or Markdown. A blank line ends a passage; an answer is one passage.',
  'You can get a refund within 14 days.',
  { pattern: NOT_BLANK_PATTERN, maxLength: MAX_ARTICLE_BODY },
)

export const articleBody = Type.Object({ title, body }, { title: 'NewArticle', description: 'An article.' })

export const articlesBody = objectType('The whole knowledge of a partner, or that for all partners.', {
  articles: Type.Array(articleBody, {
    maxItems: MAX_ARTICLES,
    description: 'All articles. Stored ones that are not sent are deleted.',
  }),
})

export const articleSchema = titledObject('Article', 'An article.', {
  id: stringType('Identifier of the article.', ARTICLE_ID),
  title,
  body,
  version,
  createdAt: timestamp('When it was written.'),
})

const listedArticle = titledObject('ListedArticle', 'An article in the list.', articleSchema.properties)

export const knowledgeSchema = titledObject('Knowledge', 'Product knowledge.', {
  articles: Type.Array(listedArticle, { description: 'The articles, in their order.' }),
  version: integerType(
    'Version of the list: raised by one when an article is added, edited or deleted; 0 if it never had an article.',
    7,
  ),
})

export const fromReplyBody = objectType('How a reply becomes an article.', {
  messageId: Type.Optional(stringType('The reply; by default the last one by a person.', MESSAGE_ID)),
  title: Type.Optional({ ...title, description: 'Title; by default the question.' }),
  scope: oneOf(['client', 'all'], {
    default: 'client',
    description: 'Whose customers it is for: those of the conversation’s partner, or those of all partners.',
    examples: ['client'],
  }),
})

export const foundPassageSchema = objectType('A passage that was found.', {
  ...passageSchema.properties,
  coverage: numberType('How much of the question the passage covers, by weight: 0 to 1.', 0.82),
  answers: booleanType('Whether the built-in answerer would reply with it.', true),
})
