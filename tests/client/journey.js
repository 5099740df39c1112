// What a user of the client does, in plain JavaScript: run by every Node that is there and by Chromium, with the same outcome.

/** @param {typeof import('@catalog-service/client')} client */
export async function journey({ createClient, CatalogError, verifyWebhook }, { origin, key, webhook }) {
  const catalog = createClient({ baseUrl: origin, key })
  const names = []
  for await (const { name } of catalog.searchTools.all({ limit: 40, fields: ['name'] })) names.push(name)
  const { data, rateLimit, requestId } = await catalog.getTool({ slug: 'burrow' })
  const missing = await catalog.getTool.result({ slug: 'there/is none' })
  const wrongKey = await createClient({ baseUrl: origin, key: 'aid_wrong' })
    .listTags()
    .then(
      () => null,
      (error) => error,
    )
  const controller = new AbortController()
  const aborted = catalog.listTags.result({}, { signal: controller.signal })
  controller.abort()
  const { id, event } = await verifyWebhook(webhook.body, webhook.headers, webhook.secret)
  const forged = await verifyWebhook(`${webhook.body} `, webhook.headers, webhook.secret).catch((error) => error.kind)
  return {
    names,
    tool: data.name,
    counted: typeof rateLimit?.remaining === 'number' && rateLimit.resetsAt instanceof Date,
    requestId: typeof requestId,
    missing: missing.ok ? null : [missing.error.status, missing.error.message],
    wrongKey: [wrongKey instanceof CatalogError, wrongKey.status, wrongKey.kind],
    aborted: (await aborted).error.kind,
    event: [id, event.event],
    forged,
  }
}
