// How a page, or a failure to show one, leaves.
import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asFailure, type Failure } from '../../kernel/errors.ts'
import { prepare } from '../../kernel/output.ts'
import { isSeen } from '../http/etag.ts'
import { sendFailure } from '../http/failures.ts'
import type { Service } from '../http/service.ts'
import { type Page, renderPage } from './document.ts'
import { html } from './markup.ts'

const HTML_TYPE = 'text/html; charset=utf-8'
const HEADERS = {
  // Whatever a listing smuggles into a page: no script runs, no form is sent, nobody frames it.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
}

/** First of all stages, so that a refusal carries them too. */
export async function setPageHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(HEADERS)
}

export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const { json: bytes, etag } = prepare(renderPage(page))
  // A minute: what was changed is soon seen, and a page that many look at costs little.
  reply.headers({ etag, 'cache-control': 'public, max-age=60' })
  if (isSeen(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(HTML_TYPE).send(bytes)
}

/** A page for people, the envelope for programs. */
export const failureAnswer =
  (service: Pick<Service, 'log'>) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.headers({ 'cache-control': 'no-store', vary: 'Accept' })
    if (!prefersHtml(request.headers.accept)) return sendFailure(service, error, request, reply)
    const failure = asFailure(error)
    if (failure.status >= 500)
      service.log.error({ err: failure.cause ?? failure, id: request.id, status: failure.status }, failure.message)
    return reply
      .code(failure.status)
      .headers(failure.headers)
      .type(HTML_TYPE)
      .send(renderPage(failurePage(failure)))
  }

function failurePage({ status, message }: Failure): Page {
  const title = STATUS_CODES[status] ?? 'Error'
  return {
    title,
    description: message,
    body: html`<h1>${title}</h1>
<p>${message}</p>
<p><a class="action" href="/">To the home page</a></p>`,
  }
}

/** Whether text/html is named and at least as welcome as JSON: browsers name it, curl and most libraries do not. */
export function prefersHtml(accept: string | undefined): boolean {
  const welcome = new Map((accept ?? '').split(',').map(readRange))
  const page = welcome.get('text/html') ?? 0
  const json = welcome.get('application/json') ?? welcome.get('application/*') ?? welcome.get('*/*') ?? 0
  return page > 0 && page >= json
}

function readRange(range: string): [type: string, quality: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
}
