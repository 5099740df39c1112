// What the two forms that record a directory share, on the bench and in the list of all directories.
import { uploadPicture } from '../../../../features/pictures/operations.ts'
import type { Visit } from '../visit.ts'
import type { TypedRecord } from './directories.ts'

/** The address of the stored picture; null when none was sent. */
export async function storeProof(visit: Visit): Promise<string | null> {
  const proof = visit.request.uploads?.get('proof')?.[0]
  if (!proof) return null
  return (await visit.perform(uploadPicture, {}, proof.bytes)).url
}

/** The labels of the fields on the page; '' is the body of the upload. */
export const RECORD_LABELS = {
  listingUrl: 'The address of the listing',
  proofUrl: 'The address of the proof picture',
  reason: 'What it waits for',
  '': 'The picture',
}

/** What an administrator has typed, which a refused form shows again. */
export const typedRecord = (slug: string, form: Readonly<Record<string, string | undefined>>): TypedRecord => ({
  slug,
  listingUrl: (form.listingUrl ?? '').trim(),
  proofUrl: (form.proofUrl ?? '').trim(),
  reason: form.reason ?? '',
  error: '',
  marked: {},
})

/** The body of the operation. */
export const recordOf = (form: Readonly<Record<string, string | undefined>>, typed: TypedRecord) => ({
  isSubmitted: form.isSubmitted !== 'false',
  listingUrl: typed.listingUrl || null,
  proofUrl: typed.proofUrl || null,
  reason: typed.reason || null,
  submittedBy: form.owner === 'true' ? ('OWNER' as const) : ('ADMIN' as const),
})
