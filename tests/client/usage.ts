// What compiles and what does not. `npm run check` compiles it against the workspace, package.test.ts against an installed package.
import {
  type Answer,
  CatalogError,
  createClient,
  type Tool,
  type ToolDetail,
  type VerifiedWebhook,
  verifyWebhook,
} from '@catalog-service/client'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(_: Same<A, B>) => {}

export async function usage(): Promise<void> {
  const catalog = createClient({ baseUrl: 'https://catalog.example.com', key: 'aid_x' })

  const found = await catalog.searchTools({ q: 'notes', pricing: 'FREE', limit: 5 })
  isSame<typeof found.data, Tool[]>(true)
  isSame<typeof found.pagination.total, number>(true)
  isSame<Awaited<ReturnType<typeof catalog.listCategories>>['data'][number]['toolsCount'], number>(true)
  await catalog.listCategories()
  await catalog.discover()

  // The type of the answer follows the fields.
  const few = await catalog.getTool({ slug: 'x', fields: ['name', 'website'] })
  isSame<typeof few, Answer<Pick<ToolDetail, 'name' | 'website' | 'slug'>>>(true)
  // @ts-expect-error It was not asked for.
  void few.data.tagline
  for await (const { name } of catalog.searchDirectories.all({ cost: 'Free', fields: ['name'] })) name.toUpperCase()
  for await (const page of catalog.searchTools.pages({ q: 'x' })) isSame<typeof page.data, Tool[]>(true)
  for await (const one of catalog.listSubmittedTools.all({ state: 'DONE' })) one.submissionState?.toUpperCase()

  // @ts-expect-error A wrong name of a parameter.
  await catalog.searchTools({ query: 'notes' })
  // @ts-expect-error A wrong value.
  await catalog.searchTools({ pricing: 'CHEAP' })
  // @ts-expect-error A wrong type.
  await catalog.searchTools({ limit: '5' })
  // @ts-expect-error A field that tools do not have.
  await catalog.getTopTools({ fields: ['price'] })
  // @ts-expect-error The slug is required.
  await catalog.getTool({})
  // @ts-expect-error The slug is required.
  await catalog.getTool()
  // @ts-expect-error There is no such operation.
  await catalog.searchTool({})
  // @ts-expect-error Only lists in pages can be walked through.
  catalog.listCategories.all()
  // @ts-expect-error A wrong option of a call.
  await catalog.getTool({ slug: 'x' }, { timeout: 5 })
  // @ts-expect-error Required fields of the body are missing.
  await catalog.submitAiTool({ name: 'Acme' })
  // @ts-expect-error A wrong option of the client.
  createClient({ url: 'https://catalog.example.com' })

  const result = await catalog.getTool.result({ slug: 'x' })
  // @ts-expect-error Not before it is known to have worked.
  void result.data
  if (result.ok) isSame<typeof result.data, ToolDetail>(true)
  else isSame<typeof result.error, CatalogError>(true)

  const asked = await catalog.askSupport({ question: 'How long do refunds take?', externalId: 'ticket-1' })
  if ('messages' in asked.data) isSame<(typeof asked.data)['reply'], string | null>(true)
  else isSame<NonNullable<(typeof asked.data)['message']>['role'], 'agent'>(true)

  handle(await verifyWebhook('{}', { 'webhook-id': 'x' }, 'whsec_AAAA', { toleranceSeconds: 60 }))
  handle(await verifyWebhook(new Uint8Array(), new Headers(), ['whsec_AAAA', 'whsec_BBBB']))
  const error: unknown = await catalog.listTags().catch((thrown: unknown) => thrown)
  if (error instanceof CatalogError) isSame<typeof error.requestId, string | null>(true)
}

function handle({ event }: VerifiedWebhook): void {
  if (event.event === 'listing.live') isSame<typeof event.link.checkedAt, string | null>(true)
  // @ts-expect-error There is no such event.
  if (event.event === 'listing.found') return
  // @ts-expect-error Only some events have it.
  void event.link
}
