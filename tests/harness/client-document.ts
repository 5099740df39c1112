// A site with the metadata document of a program, over HTTPS with a certificate that this process trusts while the site is up.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import tls from 'node:tls'
import { selfSigned } from './certificate.ts'
import { listening } from './listening.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface DocumentSite {
  origin: string
  /** The requests that arrived, by path. */
  requests: string[]
  /** Serves the metadata at a path, with its address as `client_id` unless another is given. Returns the address. */
  put(path: string, metadata: Record<string, unknown>): string
  /** Serves whatever the function answers. Returns the address. */
  answer(path: string, answer: Answer): string
  close(): Promise<void>
}

export async function startDocumentSite(): Promise<DocumentSite> {
  const { key, cert } = selfSigned('DNS:localhost,IP:127.0.0.1')
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, cert.toString()])
  const answers = new Map<string, Answer>()
  const requests: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    requests.push(request.url!)
    const answer = answers.get(request.url!)
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  const { port, close } = await listening(server)
  const origin = `https://localhost:${port}`
  const site: DocumentSite = {
    origin,
    requests,
    answer(path, answer) {
      answers.set(path, answer)
      return origin + path
    },
    put: (path, metadata) =>
      site.answer(path, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ client_id: origin + path, ...metadata }))
      }),
    async close() {
      tls.setDefaultCACertificates(trusted)
      await close()
    },
  }
  return site
}
