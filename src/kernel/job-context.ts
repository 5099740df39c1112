// The context of one attempt at a job: whatever the job asks of the outside ends with the attempt, and waits in line as its owner's. A job
// is handed this context and no other, so that nothing in it can outlive its time by being forgotten.

import type { Context } from './context.ts'
import { extend } from './extend.ts'
import type { Attempt } from './job.ts'

export function within(ctx: Context, { signal, owner }: Pick<Attempt, 'signal' | 'owner'>): Context {
  const line = { owner, signal }
  const { outbound, pictures, languageModel } = ctx
  const bound: Pick<Context, 'outbound' | 'pictures' | 'languageModel' | 'readPage'> = {
    outbound: { fetch: (url, request) => outbound.fetch(url, { ...request, signal }) },
    pictures: { encode: (bytes, use) => pictures.encode(bytes, use, line) },
    languageModel: languageModel && { ask: (question) => languageModel.ask({ ...question, signal }) },
    readPage: (page) => ctx.readPage(page, line),
  }
  return extend(ctx, bound)
}
