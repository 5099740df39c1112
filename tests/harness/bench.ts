// A catalog with as many directories as the bench must show, and a submission whose plan has a hundred of them.
import type { TestService } from './service.ts'
import { SUBMISSION_CATALOG, submitted } from './submissions.ts'

export const DIRECTORIES = 324

const benchDirectories = (count = DIRECTORIES): object[] =>
  Array.from({ length: count }, (_, i) => ({
    kind: 'directory',
    slug: `startup-directory-${i}`,
    name: `Startup Directory ${i}`,
    website: `https://startup-directory-${i}.example.org`,
    submissionLink: `https://startup-directory-${i}.example.org/submit`,
    domainRating: 20 + (i % 75),
    cost: 'Free',
    type: 'DoFollow',
    categories: [],
    smallDescription: 'A list of new products.',
    taglineLimit: i % 3 === 0 ? 20 : 0,
  }))

/** Loads the catalog and makes the submission; returns it as an administrator reads it. */
export async function benchSubmission(service: TestService, more: Record<string, unknown> = {}): Promise<any> {
  const { key } = await service.newPartner({ name: 'Bench' })
  const tool = await submitted(service, key, {
    name: 'Acme Writer',
    tagline: 'Drafts your mail in your own voice, and answers the dull ones',
    description: 'Acme Writer learns from your sent mail and drafts answers. '.repeat(20).trim(),
    paymentType: 'premium',
    ...more,
  })
  return (await service.admin('GET', `/submissions/${tool.id}`)).body.data
}

export const BENCH_CATALOG = [...SUBMISSION_CATALOG, ...benchDirectories()]
