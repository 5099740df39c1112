// Sends pages: their security headers, public bodies with ETag and compression, and failures as a page or as JSON. Also the page of a
// failed request.
import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VIDEO_PLAYERS } from '../../../../features/catalog/known-hosts/videos.rules.ts'
import { VISITOR_BUDGETS } from '../../../../features/keys/budgets.rules.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import { prepare } from '../../../../kernel/output.ts'
import {
  compressedForm,
  compressQuickly,
  encodingFor,
  matchesEtag,
  qualitiesIn,
  tagOf,
} from '../../../http/answers/compression.ts'
import { logFailure, sendFailure, translate } from '../../../http/answers/failures.ts'
import type { Service } from '../../../http/service.ts'
import { linkButton } from '../button.ts'
import { searchForm } from '../forms/search-form.ts'
import { html } from '../markup.ts'
import { type Page, renderPage } from './document.ts'

export const HTML_TYPE = 'text/html; charset=utf-8'
const POLICY = 'content-security-policy'

/**
 * The content security policy. It protects visitors if a listing smuggles markup into a page: browsers still run only our own scripts,
 * send forms only to `formTargets` (null: anywhere) and let no site frame the page. The video hosts are contacted only after a click.
 */
const policyWith = (formTargets: string | null): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "font-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "img-src 'self'",
    `frame-src ${VIDEO_PLAYERS.join(' ')}`,
    ...(formTargets === null ? [] : [`form-action ${formTargets}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const HEADERS = { [POLICY]: policyWith("'self'"), 'referrer-policy': 'strict-origin-when-cross-origin' }

/** Runs before all other hooks, so that a refusal carries these headers too. */
export async function setPageHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(HEADERS)
}

/**
 * Lets forms of this page lead to `target` too; null: anywhere. Needed for redirects to other sites, because browsers apply the policy to
 * every redirect after a form.
 */
export const allowFormsTo = (reply: FastifyReply, target: string | null): void =>
  void reply.header(POLICY, policyWith(target && `'self' ${target}`))

export interface PublicBody {
  bytes: Buffer
  etag: string
  /** The compressed bytes. A small body is compressed once and kept. null: a large body cannot be compressed at the moment. */
  gzipped(): Buffer | Promise<Buffer | null>
}

// Compressing this many bytes takes a few milliseconds; longer bodies are compressed in another thread.
const MOST_BYTES_IN_THIS_THREAD = 256 * 1024

export function publicBody(bytes: Buffer): PublicBody {
  let gzipped: Buffer | undefined
  const compress = () => (gzipped ??= compressQuickly(bytes))
  return {
    bytes,
    etag: prepare(bytes).etag,
    gzipped: bytes.length <= MOST_BYTES_IN_THIS_THREAD ? compress : () => compressedForm(bytes, 'gzip'),
  }
}

/** Sends a body that is the same for every visitor, so caches may keep it and it is safe to compress. */
export async function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { bytes, etag: uncompressedTag, gzipped }: PublicBody,
  vary = 'Accept-Encoding',
): Promise<FastifyReply> {
  const accepted = encodingFor(request.headers['accept-encoding'], ['gzip'])
  const compressed = accepted && (await gzipped())
  const encoding = compressed ? accepted : null
  const etag = tagOf(uncompressedTag, encoding)
  // Caches keep it for a minute: visitors see a change soon, and a page with many visitors costs little.
  reply.headers({ etag, 'cache-control': 'public, max-age=60', vary })
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(type).send(compressed ?? bytes)
}

/** Answers a failure with a page when the client prefers HTML, otherwise with the JSON envelope. */
export const failureAnswer =
  (service: Pick<Service, 'log' | 'site'>) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.headers({ 'cache-control': 'no-store', vary: 'Accept' })
    if (!prefersHtml(request.headers.accept)) return sendFailure(service, error, request, reply)
    reply.headers(HEADERS)
    const failure = translate(error)
    logFailure(service, failure, request)
    return reply
      .code(failure.status)
      .headers(failure.headers)
      .type(HTML_TYPE)
      .send(renderPage(failurePage(failure, request.id), service.site.fields()))
  }

/** Whether the client names text/html and ranks it at least as high as JSON. Browsers name it; curl and most libraries do not. */
export function prefersHtml(accept: string | undefined): boolean {
  const qualities = qualitiesIn(accept ?? '')
  const htmlQuality = qualities.get('text/html') ?? 0
  const jsonQuality = qualities.get('application/json') ?? qualities.get('application/*') ?? qualities.get('*/*') ?? 0
  return htmlQuality > 0 && htmlQuality >= jsonQuality
}

/** A parameter of the path; '' if the path has none of this name. */
export const param = (request: FastifyRequest, name: string): string =>
  (request.params as Record<string, string>)[name] ?? ''

/** `id`: the id of the request, by which the operator finds it in the log. */
function failurePage({ status, message, headers }: Failure, id: string): Page {
  const { title, text } = FAILURES[status] ?? { title: STATUS_CODES[status] ?? 'Error', text: '' }
  const wait = Number(headers['retry-after'])
  return {
    title,
    description: message,
    ownSearch: status === 404,
    body: html`<div class="flow prose">
<p class="label">${status}</p>
<h1>${title}</h1>
${status !== 404 && html`<p class="lead">${message}</p>`}
${text && html`<p>${text}</p>`}
${status === 429 && wait > 0 && html`<p>You can go on ${wait < 90 ? `in ${wait} ${wait === 1 ? 'second' : 'seconds'}` : `in about ${Math.ceil(wait / 60)} minutes`}. Nothing is blocked for good.</p>`}
${status === 500 && html`<p>When you report this, say that it was request <code>${id}</code>.</p>`}
${status === 404 && searchForm({ action: '/search', label: 'Search both catalogs' })}
<div class="row">${linkButton('/', 'Go to the home page', status === 404 ? { kind: 'plain' } : {})}${linkButton('/tools', 'Browse tools', { kind: 'plain' })}${status === 404 && linkButton('/directories', 'Browse directories', { kind: 'plain' })}</div>
</div>`,
  }
}

/** Titles and explanations by status, for visitors who only followed a link. The page shows the failure's own message too. */
const FAILURES: Record<number, { title: string; text: string }> = {
  400: {
    title: 'That cannot be read',
    text: 'Something in the address is not as it should be. Start again from a page below.',
  },
  403: { title: 'Not for this visitor', text: '' },
  404: {
    title: 'Nothing here',
    text: 'The listing may have been taken down or renamed, or the address has a slip. A search may find it.',
  },
  421: { title: 'Another address', text: '' },
  429: {
    title: 'A short pause, please',
    text: `To keep the catalog quick for all visitors, one address may open ${VISITOR_BUDGETS[0].calls} pages a minute and ${VISITOR_BUDGETS[1].calls} an hour.`,
  },
  500: { title: 'That was our fault', text: 'It has been noted. Try again in a moment.' },
  503: { title: 'Back in a moment', text: 'Part of the service is starting or resting. Try again in a few seconds.' },
}
