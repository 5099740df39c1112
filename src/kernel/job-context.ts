// The context of one attempt at a job: every outbound request, picture and page thread of the job ends with the attempt and takes its
// turn under the job's owner. Jobs get only this context, so that none of them can forget to pass the signal on.
import type { Context } from './context.ts'
import type { Attempt } from './job.ts'
import { extend } from './objects.ts'

export function attemptContext(ctx: Context, { signal, owner }: Pick<Attempt, 'signal' | 'owner'>): Context {
  const turn = { owner, signal }
  const { outbound, pictures, languageModel, embeddingModel } = ctx
  const bound: Pick<Context, 'outbound' | 'pictures' | 'languageModel' | 'embeddingModel' | 'readPage'> = {
    outbound: { fetch: (url, request) => outbound.fetch(url, { ...request, signal }) },
    pictures: { ...pictures, encode: (bytes, use) => pictures.encode(bytes, use, turn) },
    languageModel: languageModel && { ...languageModel, ask: (question) => languageModel.ask({ ...question, signal }) },
    embeddingModel: embeddingModel && {
      name: embeddingModel.name,
      embed: (request) => embeddingModel.embed({ ...request, signal }),
    },
    readPage: (page) => ctx.readPage(page, turn),
  }
  return extend(ctx, bound)
}
