// Operator API: one submission with everything an administrator needs to work on it, and the directories to choose from.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { withPictures } from '../../kernel/own-addresses.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import { listRows } from './queries.ts'
import { packageOf, summaryOf } from './rules.ts'
import { rowExample } from './schema.ts'
import { findSubmissionIds, findWork, listCandidates } from './work.queries.ts'
import { candidateFilters, candidateSchema, workSchema } from './work.schema.ts'
import { submissionId } from './workflow.schema.ts'

const TIME = '2026-03-01T09:30:00.000Z'

export const getSubmission = operation({
  name: 'get_submission',
  summary: 'One submission with all that is needed to work it',
  description:
    'The tool with everything that forms of directories ask for (the founder’s e-mail address too), state, package, notes and the directories on record.',
  group: 'Submissions',
  access: 'operator',
  method: 'GET',
  path: '/submissions/:id',
  parameters: Type.Object({ id: submissionId }),
  data: workSchema,
  failures: [400, 404],
  example: {
    success: true,
    data: {
      id: '5b1d0c8e-0d4e-4f59-8c3b-0d6c7a9e1f20',
      toolId: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11',
      clientId: '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10',
      state: 'IN_PROGRESS',
      paymentType: 'starter',
      paymentLabel: 'Starter (30+ directories)',
      assignee: 'op@example.com',
      notes: '',
      internalNotes: '',
      version: 3,
      tool: {
        id: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11',
        slug: 'acme-writer',
        name: 'Acme Writer',
        website: 'https://acme-writer.example.com',
        tagline: 'Drafts your mail in your own voice',
        description: 'Acme Writer learns from your sent mail and …',
        url: 'https://catalog.example.com/tools/acme-writer',
        category: { slug: 'writing', name: 'Writing' },
        tags: [{ slug: 'api', name: 'API' }],
        pricing: 'FREEMIUM',
        icon: null,
        frame: null,
        screenshots: [],
        video: null,
        socials: {},
        features: {},
        faqs: [],
        founderName: 'Ada Example',
        founderEmail: 'ada@example.com',
        location: null,
        discountCode: '',
        affiliateLink: null,
        affiliateText: null,
        foundingDate: null,
        isCustomer: null,
        isLaunched: true,
        version: 3,
        published: true,
        hiddenReason: null,
      },
      client: { id: '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10', name: 'Launch Platform', webhookUrl: null },
      submittedCount: 1,
      recordedSubmissions: 1,
      targetDirectoriesCount: 30,
      submissions: [{ ...rowExample, version: 3 }],
      createdAt: TIME,
      updatedAt: TIME,
    },
  },
  run: async (ctx, input) => {
    const found = await findWork(ctx.db, await findSubmissionId(ctx, input.id))
    if (!found) throw notFound('Submission')
    const { submission, tool, details, client, categoryName, tags } = found
    const rows = await listRows(ctx.db, submission.id)
    return {
      data: {
        ...submission,
        ...packageOf(submission.paymentType),
        ...summaryOf(rows, submission.notes),
        clientId: client.id,
        client,
        tool: {
          ...withPictures(ctx.publicUrl, tool),
          affiliateText: details?.affiliateText ?? null,
          foundingDate: details?.foundingDate ?? null,
          isCustomer: details?.isCustomer ?? null,
          isLaunched: details?.isLaunched ?? null,
          url: `${ctx.publicUrl}/tools/${tool.slug}`,
          category: tool.category === null ? null : { slug: tool.category, name: categoryName ?? tool.category },
          tags,
        },
        submissions: rows,
      },
    }
  },
})

export const listSubmissionDirectories = operation({
  name: 'list_submission_directories',
  summary: 'Directories to enter a tool into',
  description:
    'Published directories with the address of their form and what is on record for this submission: those not on record first, then by Domain Rating.',
  group: 'Submissions',
  access: 'operator',
  method: 'GET',
  path: '/submissions/:id/directories',
  parameters: Type.Object({ id: submissionId, ...candidateFilters, ...listPage }),
  data: Type.Array(candidateSchema),
  failures: [400, 404],
  example: {
    success: true,
    data: [
      {
        slug: 'launch-list',
        name: 'Launch List',
        website: 'https://launch-list.example.org',
        submissionLink: 'https://launch-list.example.org/submit',
        domainRating: 71,
        monthlyVisits: 12_000,
        cost: 'Free',
        minimumPrice: 0,
        type: 'DoFollow',
        requiresBadge: false,
        submissionExperience: null,
        categories: ['saas'],
        row: null,
      },
    ],
  },
  run: async (ctx, { id, ...input }) => ({
    data: await listCandidates(ctx.db, await findSubmissionId(ctx, id), input, input.limit, offsetOf(input)),
  }),
})

export const workOperations = [getSubmission, listSubmissionDirectories]

async function findSubmissionId(ctx: Context, reference: string): Promise<string> {
  const [first, ...others] = await findSubmissionIds(ctx.db, reference)
  if (!first) throw notFound('Submission')
  if (others.length > 0 && first.id !== reference)
    throw badRequest('Several partners submitted this tool. Name the submission by its own id.')
  return first.id
}
