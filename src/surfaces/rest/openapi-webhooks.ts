// The `webhooks` section of the OpenAPI document, made from the declared events.
import { EVENT_HEADERS } from '../../features/webhooks/schema.ts'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { exampleOf } from '../../kernel/schema.ts'
import { capitalised } from '../../kernel/values/text.ts'
import { documentSchema, type Json } from './openapi-schemas.ts'

/** The heading of the events in the document. */
export const WEBHOOK_GROUP = 'Webhooks'

export const webhooksSection = (events: readonly DeclaredEvent[], schemas: Json): Json =>
  Object.fromEntries(events.map((event) => [event.name, { post: describe(event, schemas) }]))

const describe = ({ name, when, body }: DeclaredEvent, schemas: Json): Json => ({
  operationId: `receive_${name.replace(/\W/g, '_')}`,
  summary: capitalised(`sent ${when}`),
  description: `${(body as { description?: string }).description} There is one attempt; answer any 2xx within ten seconds.`,
  tags: [WEBHOOK_GROUP],
  // The receiver checks the signature instead.
  security: [],
  parameters: headerParameters(name),
  requestBody: {
    required: true,
    description: 'The event. The signatures are made over these very bytes.',
    content: { 'application/json': { schema: documentSchema(body, schemas), example: exampleOf(body) } },
  },
  responses: {
    200: { description: 'The event was received. Any other 2xx counts too; nothing in the answer is read.' },
  },
})

/** OpenAPI does not let a document describe Content-Type as a parameter. */
const headerParameters = (event: string): Json[] =>
  Object.entries<{ meaning: string; example: string; isOfSandbox?: boolean }>(EVENT_HEADERS)
    .filter(([name]) => name !== 'Content-Type')
    .map(([name, { meaning, example, isOfSandbox = false }]) => ({
      name,
      in: 'header',
      required: !isOfSandbox,
      description: meaning,
      schema: { type: 'string' },
      example: name === 'X-Catalog-Event' ? event : example,
    }))
