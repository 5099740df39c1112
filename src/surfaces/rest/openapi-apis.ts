// The parts of the two OpenAPI documents that describe a whole API: its name, how to authenticate, and the purpose of each group.
import { sessionCookieName } from '../../kernel/addresses/cookie-names.ts'
import type { Access } from '../../kernel/caller.ts'
import type { RoutedOperation } from '../../kernel/operation.ts'
import { ADMIN_BASE, REST_BASE } from '../http/addresses.ts'
import { DESCRIPTION, NAME } from '../http/software.ts'
import type { Json } from './openapi-schemas.ts'

export interface DescribedApi {
  base: string
  title: string
  summary: string
  description: string
  /** The purpose of each group of operations, in the order of the document. */
  groups: Readonly<Record<string, string>>
  securitySchemes(publicUrl: string): Json
  /** The ways to authenticate, of which a client needs one. `securityOf` overrides them for operations with another access. */
  security: readonly Json[]
  securityOf: Partial<Record<Access, readonly Json[]>>
  /** Whether calls have rate limits. */
  isLimited: boolean
  /** The entry of the operation that returns the document itself. */
  ownEntry: { operationId: string; description: string; group: string; access: Access }
}

const ENVELOPE = 'Every answer is an envelope: `success`, then `data` (and `pagination` on searches) or `error`.'

const header = (description: string) => ({ type: 'apiKey', in: 'header', name: 'X-API-Key', description })
const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })

export const PUBLIC_API: DescribedApi = {
  base: REST_BASE,
  title: NAME,
  summary: DESCRIPTION,
  description: `${DESCRIPTION}

Send an API key as \`Authorization: Bearer <API_KEY>\` or \`X-API-Key: <API_KEY>\`. ${ENVELOPE} Limits are counted per key; every answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Answers over 1 KB that hold no partner's data are compressed for clients that send \`Accept-Encoding: br\` or \`gzip\`.`,
  groups: {
    Discovery: 'Which endpoints, limits and policies there are. Needs no key.',
    Catalog: 'Reads of AI tools and submission directories. Any API key will do.',
    Keys: 'What the calling key is and may do.',
    Partners:
      'Submitting tools and following the work on them. They need an issued partner key and belong on a server.',
    Support:
      "Forwarding customers' questions and reading the replies. They need a partner key that support is switched on for, and belong on a server.",
    Webhooks: 'What partners receive: each event as an HTTP POST to the webhook address of the partner, signed.',
  },
  securitySchemes: () => ({
    bearer: bearer('Any API key, a catalog key or a partner key, as a bearer token.'),
    apiKey: header('Any API key in a header of its own. Interchangeable with the bearer token.'),
    partnerBearer: bearer(
      'An issued partner key (`aid_p_…`) as a bearer token, or a test key (`aid_test_…`), which works in the sandbox. Only for servers, never for browsers or apps.',
    ),
    partnerApiKey: header('An issued partner key in a header of its own. Interchangeable with the bearer token.'),
  }),
  security: [{ bearer: [] }, { apiKey: [] }],
  securityOf: {
    public: [],
    partner: [{ partnerBearer: [] }, { partnerApiKey: [] }],
    support: [{ partnerBearer: [] }, { partnerApiKey: [] }],
  },
  isLimited: true,
  ownEntry: {
    operationId: 'openapi',
    description: 'The OpenAPI 3.1 document of the REST API. Needs no key.',
    group: 'Discovery',
    access: 'public',
  },
}

export const OPERATOR_API: DescribedApi = {
  base: ADMIN_BASE,
  title: `${NAME}: operator API`,
  summary: 'Running the catalog: keys, partners, listings, submissions, support and webhooks.',
  description: `Everything that operators do, over HTTP; the command line and the console use the same operations.

Send the operator token as \`Authorization: Bearer <ADMIN_TOKEN>\`, or call it from the site with the session of an administrator. ${ENVELOPE} Calls are not limited, apart from test events. Every write is in the audit log.`,
  groups: {
    Keys: 'API keys: issuing, finding and revoking them. A key is shown once, when it is issued.',
    Partners: 'Partners with their keys, webhook addresses, signing secrets and support mode.',
    Taxonomy: 'Categories and tags of tools, and categories of directories, as they are stored.',
    Listings: 'Tools and directories as they are stored, drafts and private fields included.',
    Proposals: 'Changes of listings that partners and owners propose, to accept or refuse.',
    'Import and export': 'The whole catalog as lines of JSON.',
    Submissions: 'Submitted tools and the work of entering them into directories.',
    Founders: 'Products that founders have sent, the decision about each, and the owners of listings.',
    Support: "The inbox of customers' questions and the articles that the AI answers from.",
    Webhooks: 'Events that were sent to partners, attempt by attempt, and sending them again.',
    Enrichment: 'What was fetched and made for submitted listings, and asking for it again.',
    Pictures: 'Pictures of your own, such as proofs of a submission, and the copies of pictures on other hosts.',
    Users: 'People with an account: plan, role, ban and one-time sign-in links.',
    People: 'Everything that is stored about one person: export and deletion.',
    Grants: 'The programs that users have signed in to, and withdrawing their access.',
    Backups: 'Copies of the embedded database beside its data, for `catalog backup`.',
    Search: 'What people look for and do not find.',
    Site: "The site's own name, words, colour, logo, pages and collections.",
    Audit: 'Who changed what and when.',
    Overview: 'What waits for an operator, and rows that cannot be shown.',
    Discovery: 'What this API can do.',
  },
  securitySchemes: (publicUrl) => ({
    operatorToken: bearer('The operator token (`ADMIN_TOKEN`) as a bearer token.'),
    operatorTokenHeader: header('The operator token in a header of its own. Interchangeable with the bearer token.'),
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(publicUrl),
      description: 'The session of an administrator who is signed in to the site; writes only from its own pages.',
    },
  }),
  security: [{ operatorToken: [] }, { operatorTokenHeader: [] }, { session: [] }],
  securityOf: {},
  isLimited: false,
  ownEntry: {
    operationId: 'operator_openapi',
    description: 'The OpenAPI 3.1 document of the operator API.',
    group: 'Discovery',
    access: 'operator',
  },
}

/** The operations in the order of the document: group by group. */
export const inGroups = ({ groups }: DescribedApi, operations: readonly RoutedOperation[]): RoutedOperation[] =>
  Object.keys(groups).flatMap((name) => operations.filter(({ group }) => group === name))
