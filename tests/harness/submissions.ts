// Submits tools and polls their status as partners do, with a small catalog to submit into.
import { expect } from 'vitest'
import { submitBody } from '../../src/features/submissions/schema.ts'
import type { Reply, RequestOptions, TestService } from './service.ts'
import { expectFailure } from './shapes.ts'

/** The directories, strongest first, as status rows are ordered. */
export const RANKED_DIRECTORIES = [
  { slug: 'peak', name: 'Peak', website: 'https://peak.example.org', domainRating: 95 },
  { slug: 'alpha-board', name: 'Alpha Board', website: 'https://alpha-board.example.org', domainRating: 60 },
  { slug: 'beta-board', name: 'Beta Board', website: 'https://beta-board.example.org', domainRating: 60 },
  { slug: 'unrated', name: 'Unrated', website: 'https://unrated.example.org', domainRating: null },
]

export const SUBMISSION_CATALOG: object[] = [
  { kind: 'category', slug: 'writing', name: 'Writing' },
  { kind: 'category', slug: 'image-making', name: 'Image & Design' },
  { kind: 'tag', slug: 'api', name: 'API' },
  { kind: 'tag', slug: 'open-source', name: 'Open Source' },
  ...RANKED_DIRECTORIES.map((line) => ({ kind: 'directory', ...line })),
]

let serial = 0

/**
 * A complete, valid body about a product that was not submitted before; `undefined` removes a field. Features and questions are given as
 * empty, so that enrichment changes nothing while a test reads the listing.
 */
export function newTool(more: Record<string, unknown> = {}): Record<string, any> {
  const number = ++serial
  return {
    name: `Product ${number}`,
    website: `https://product-${number}.example.com`,
    tagline: 'Does one thing',
    description: 'Does one thing well.',
    category: 'writing',
    pricing: 'FREE',
    founderName: 'Ada Example',
    founderEmail: 'ada@example.com',
    tags: ['api'],
    features: {},
    faq: [],
    ...more,
  }
}

export const submit = (
  service: TestService,
  key: string | null,
  body: unknown,
  more: RequestOptions = {},
): Promise<Reply> => service.rest('/submit-ai-tool', { method: 'POST', key, body, ...more })

/** Submits a tool and returns `data`. */
export async function submitted(service: TestService, key: string, more: Record<string, unknown> = {}): Promise<any> {
  const reply = await submit(service, key, newTool(more))
  if (reply.status !== 201) throw new Error(`expected 201, got ${reply.status}: ${reply.text}`)
  return reply.body.data
}

export const statusOf = (
  service: TestService,
  key: string | null,
  query: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> => service.rest(`/ai-tools/status?${new URLSearchParams(query)}`, { key, headers })

/** The submissions in the operator's queue. */
export const queue = async (service: TestService, filter: Record<string, string> = {}): Promise<any[]> =>
  (await service.admin('GET', `/submissions?${new URLSearchParams(filter)}`)).body.data

export const deliveries = async (service: TestService, client: string): Promise<any[]> =>
  (await service.admin('GET', `/webhooks?client=${client}`)).body.data

/** Other spellings of the same site, which the service must treat as one. */
export const spellings = (website: string): string[] => {
  const { hostname, pathname } = new URL(website)
  const path = pathname.replace(/\/$/, '')
  return [
    `http://${hostname}${path}`,
    `https://www.${hostname}${path}`,
    `HTTPS://${hostname.toUpperCase()}${path}`,
    `https://${hostname}${path}/`,
    `https://${hostname}${path}//`,
    `https://${hostname}${path}?utm_source=x`,
    `https://${hostname}${path}#top`,
    `  http://WWW.${hostname}${path}/?a=1&b=2#c  `,
  ]
}

const NO_TEXTS = new Set(['tags', 'screenshots', 'socials', 'features', 'faq'])

/** Every field of a submission that is a single text, read from its schema, so that tests attack a new field too. */
export const TEXT_FIELDS = Object.keys(submitBody.properties).filter((field) => !NO_TEXTS.has(field))

export const REQUIRED_FIELDS = 'name website tagline description category pricing founderName founderEmail tags'.split(
  ' ',
)

/** The error of a body that must be refused. */
export async function refusedSubmission(
  service: TestService,
  key: string,
  body: unknown,
  more: RequestOptions = {},
): Promise<string> {
  const reply = await submit(service, key, body, more)
  expect(reply.status, reply.text).toBe(400)
  return expectFailure(reply.body)
}
