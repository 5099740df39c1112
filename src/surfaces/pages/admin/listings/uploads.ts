// Stores the pictures that are sent with a form. The address of each is put into the form, so that a form that is shown again keeps it.
import { uploadPicture } from '../../../../features/pictures/operations.ts'
import type { PictureUse } from '../../../../kernel/addresses/own-addresses.ts'
import { ACCEPTED_PICTURES, MAX_PICTURE_BYTES, MAX_PICTURE_TEXT } from '../../../../kernel/interfaces/picture-store.ts'
import { sentencesOf } from '../../../../kernel/problem.ts'
import type { UploadedFile } from '../../kit/forms/uploads.ts'
import { isCorrectable, type Visit } from '../../kit/sending/private-pages.ts'
import { fieldsIn } from './fields.ts'
import type { ListingKind } from './kinds.ts'
import type { Form } from './values.ts'

/** The most bytes that all files of a form may have together. */
export const MAX_FILES_BYTES = 3 * MAX_PICTURE_BYTES
export const PICTURE_FILES = ACCEPTED_PICTURES.join(',')
export const fileNameOf = (field: string): string => `${field}File`

interface FormWithPictures {
  form: Form
  /** What is wrong with a file, by the field that it belongs to. */
  refused: Record<string, string>
}

/** Stores all pictures of a listing's form. Several pictures of one field are added to its lines. */
export async function storeUploads(visit: Visit, kind: ListingKind, given: Form): Promise<FormWithPictures> {
  const form: Record<string, string | undefined> = { ...given }
  const refused: Record<string, string> = {}
  for (const { name, widget } of fieldsIn(kind.groups)) {
    if (widget !== 'picture' && widget !== 'pictures') continue
    for (const file of visit.request.uploads?.get(fileNameOf(name)) ?? []) {
      const stored = await storePicture(visit, file, name === 'icon' ? 'icon' : 'picture')
      if ('problem' in stored) refused[name] = stored.problem
      else form[name] = widget === 'picture' ? stored.url : [form[name]?.trim(), stored.url].filter(Boolean).join('\n')
    }
  }
  return { form, refused }
}

/** Stores a picture. Returns its address, or a sentence that says what is wrong with it. */
export async function storePicture(
  visit: Pick<Visit, 'perform'>,
  { name, bytes }: UploadedFile,
  use: PictureUse,
): Promise<{ url: string } | { problem: string }> {
  const shown = name.slice(0, 100)
  if (bytes.length > MAX_PICTURE_BYTES) return { problem: `${shown} is larger than ${MAX_PICTURE_TEXT}.` }
  try {
    return await visit.perform(uploadPicture, { use }, bytes)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return { problem: error.problems.length > 0 ? sentencesOf(error.problems, () => shown) : error.message }
  }
}
