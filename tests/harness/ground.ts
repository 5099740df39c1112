// A watched service that has one of everything that operations name, and a product site that answers every address at once.
import { createServer } from 'node:http'
import { createBrowser, PASSWORD } from './browser.ts'
import { idOf, sent } from './founders.ts'
import { type Listening, listening } from './listening.ts'
import { picture } from './product-site.ts'
import { ADMIN_TOKEN } from './service.ts'
import { newTool, SUBMISSION_CATALOG } from './submissions.ts'
import { startWatched } from './watched-service.ts'
import type { Ground } from './ways.ts'

/** A page with everything that enrichment looks for, so that it ends with the first attempt. */
const PAGE = `<title>Product</title><meta name="description" content="A product."><link rel="icon" href="/picture/icon.png">
<meta property="og:image" content="/picture/share.png"><h1>Product</h1><p>Does one thing.</p>`

async function startSite(): Promise<Listening> {
  const png = await picture(64, 64)
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const isPage = request.url!.startsWith('/page/') || request.url === '/'
    response.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'image/png')
    response.end(isPage ? PAGE : png)
  })
  return listening(server)
}

export interface StartedGround extends Ground {
  close(): Promise<void>
}

export async function startGround(environment: Record<string, string> = {}): Promise<StartedGround> {
  const site = await startSite()
  const service = await startWatched({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    ENRICHMENT_RETRY_SECONDS: '1',
    ...environment,
  })
  const must = async (method: string, path: string, body?: unknown, key = ADMIN_TOKEN) => {
    const reply = await service.fetch(path, { method, key, body })
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`)
    return reply.body.data
  }
  const lines = [...SUBMISSION_CATALOG, { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' }]
  await service.fetch('/api/admin/import', {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  })
  await must('PUT', '/api/admin/tools/known', { name: 'Known', category: 'writing', tags: ['api'] })
  const partner = await must('POST', '/api/admin/partners', {
    name: 'Partner',
    support: 'hybrid',
    webhookUrl: `${site.url}/hook`,
  })
  const owner = await must('POST', '/api/admin/keys', { email: 'reader@example.com', plan: 'premium' })
  let work = 0
  const newWork = async (): Promise<string> => {
    const website = `${site.url}/page/work-${++work}`
    const tool = await must('POST', '/api/v1/submit-ai-tool', newTool({ website, paymentType: 'starter' }), partner.key)
    const items = await must('GET', `/api/admin/submissions?client=${partner.id}&limit=5`)
    return items.find(({ toolId }: { toolId: string }) => toolId === tool.id).id
  }
  const newReply = async () => {
    const { id } = await must('POST', '/api/v1/support/ask', { question: 'Is there a plan?' }, partner.key)
    await must('POST', `/api/admin/support/conversations/${id}/reply`, { content: 'There is.' })
    const { messages } = await must('GET', `/api/admin/support/conversations/${id}`)
    return { conversation: id as string, message: messages.at(-1).id as string }
  }
  let products = 0
  const newReview = async (): Promise<string> => {
    const email = `founder-${++products}@example.com`
    const founder = createBrowser(service)
    const reply = await founder.submit('/sign-up', '/sign-up', { email, password: PASSWORD })
    if (reply.status !== 303) throw new Error(`sign-up answered ${reply.status}: ${reply.text.slice(0, 300)}`)
    return idOf(await sent({ ...founder, email }))
  }
  const newProposal = async (): Promise<string> => {
    const website = `${site.url}/page/proposal-${++products}`
    const { id, slug } = await must('POST', '/api/v1/submit-ai-tool', newTool({ website }), partner.key)
    await must('PATCH', `/api/admin/tools/${slug}`, { tagline: 'Written by an administrator' })
    await must('PATCH', `/api/v1/ai-tools?id=${id}`, { tagline: 'Written by the partner' }, partner.key)
    const [newest] = await must('GET', '/api/admin/proposals?state=waiting&limit=1')
    return newest.id
  }
  const submission = await newWork()
  const { toolId } = await must('GET', `/api/admin/submissions/${submission}`)
  const { conversation } = await newReply()
  const article = await must('POST', '/api/admin/knowledge', { title: 'Refunds', body: 'A refund is paid in 14 days.' })
  const [user] = await must('GET', '/api/admin/users')
  await createBrowser(service).submit('/tools/known/report', '/tools/known/report', { reason: 'gone' })
  const [report] = await must('GET', '/api/admin/visitor-reports')
  const event = await must('POST', `/api/admin/partners/${partner.id}/test-event`)
  await must('PUT', '/api/admin/collections/first', {
    name: 'First',
    text: '',
    tools: ['known'],
    directories: ['peak'],
  })
  return {
    service,
    site: site.url,
    partner,
    key: owner.key,
    newWork,
    newReply,
    newReview,
    newProposal,
    known: {
      keys: owner.id,
      partners: partner.id,
      submissions: submission,
      conversations: conversation,
      support: conversation,
      knowledge: article.id,
      webhooks: event.id,
      'visitor-reports': report.id,
      enrichments: toolId,
      users: user.id,
      tools: 'known',
      directories: 'peak',
      plan: 'peak',
      bench: 'peak',
      kit: 'peak',
      categories: 'writing',
      tags: 'api',
      'directory-categories': 'saas',
      collections: 'first',
      taxonomy: 'categories',
      views: 'mine',
      'saved-replies': 'hello',
    },
    async close() {
      await service.close()
      await site.close()
    },
  }
}
