// A service with the demo catalog, and with work, questions and calls as after some weeks of use. Pictures are taken of it, and the weight
// and speed of pages are measured on it.
import { seedDemo } from '../../src/process/first-start.ts'
import { type Browser, signedUp, signedUpAdmin, userNamed } from './browser.ts'
import { startService, type TestService } from './service.ts'
import { submitted } from './submissions.ts'

interface DemoSite {
  service: TestService
  administrator: Browser
  /** A user with a key and a month of calls. */
  developer: Browser
  /** A submission on whose directories an administrator works. */
  submissionId: string
}

const DAYS = 30
const DAY_MS = 86_400_000
const RECORDED = 12

export async function startDemoSite(settings: Record<string, string> = {}): Promise<DemoSite> {
  const service = await startService(settings)
  await seedDemo(service.context())
  await service.settled()
  const partner = await service.newPartner({ name: 'Launchpad', support: 'human' })
  const submissionId = await workedSubmission(service, partner.key)
  for (const [name, paymentType] of Object.entries(OTHER_PRODUCTS))
    await submitted(service, partner.key, { name, paymentType })
  const developer = await signedUp(service, 'ada@example.com')
  await makeCalls(service, developer.email)
  await service.admin('PATCH', `/users/${(await userNamed(service, developer.email)).id}`, { partner: partner.id })
  return { service, administrator: await signedUpAdmin(service), developer, submissionId }
}

const OTHER_PRODUCTS = { 'Paper Trail': 'starter', Standup: 'pro', 'Quiet Hours': 'starter' }

async function workedSubmission(service: TestService, key: string): Promise<string> {
  const { id } = await submitted(service, key, {
    name: 'Margin Notes',
    website: 'https://margin-notes.example.com',
    tagline: 'Turns a pile of papers into answers with page numbers',
    description:
      'Margin Notes reads your PDFs and answers questions about them. Every answer names the page that it comes from, so that a reader can check it. It runs in the browser and keeps nothing on its servers after an hour.',
    category: 'research',
    paymentType: 'pro',
  })
  await service.admin('PATCH', `/submissions/${id}`, { state: 'IN_PROGRESS' })
  const plan = (await service.admin('GET', `/submissions/${id}/plan`)).body.data
  const slugs: string[] = plan.chosen.map(({ slug }: { slug: string }) => slug)
  for (const slug of slugs.slice(0, RECORDED))
    await service.admin('PUT', `/submissions/${id}/directories/${slug}`, {
      isSubmitted: true,
      listingUrl: `https://${slug}.example.org/margin-notes`,
    })
  return id
}

/** Calls of a month, more on working days, as the service would have counted them. */
async function makeCalls(service: TestService, email: string): Promise<void> {
  const { id } = await service.newKey('premium', email)
  const today = Date.now()
  const rows = Array.from({ length: DAYS }, (_, i) => {
    const at = new Date(today - (DAYS - 1 - i) * DAY_MS)
    const rest = [0, 6].includes(at.getUTCDay()) ? 90 + i * 4 : 420 + ((i * 137) % 260) + i * 9
    const day = at.toISOString().slice(0, 10)
    return `('${id}', '${day}', 'rest', ${rest}, '${at.toISOString()}'), ('${id}', '${day}', 'mcp', ${Math.round(rest / 3)}, '${at.toISOString()}')`
  })
  await service.sql(`insert into key_usage (key_id, day, surface, calls, last_used_at) values ${rows.join(', ')}`)
}
