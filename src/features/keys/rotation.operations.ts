// Operations that replace a key: for operators, and for the user who owns it.
import { type Static, Type } from 'typebox'
import { operation, pageOperation } from '../../kernel/operation.ts'
import { keyId } from './account.schema.ts'
import { noteShown } from './issue.ts'
import { rotateIssued } from './rotate.ts'
import { DEFAULT_OVERLAP_HOURS, keyRotationBody, rotatedKeySchema } from './schema.ts'

const overlapOf = ({ overlapHours = DEFAULT_OVERLAP_HOURS }: Static<typeof keyRotationBody>): number => overlapHours

export const rotateKey = operation({
  name: 'rotate_key',
  summary: 'Replace a key',
  description:
    'Makes a key with the same owner, name and plan, and shows it once. The old one works on for the overlap, then it stops by itself; with an overlap of 0 it fails on the next request. It holds for catalog, partner and test keys. During the overlap both count as live keys.',
  group: 'Keys',
  access: 'operator',
  method: 'POST',
  path: '/keys/:id/rotate',
  parameters: Type.Object({ id: keyId }),
  body: keyRotationBody,
  data: rotatedKeySchema,
  failures: [400, 404],
  exampleFields: {
    previousId: '5b8f61c4-0a6a-4a36-9d52-0b1f4f0f7c22',
    previousValidUntil: '2026-03-02T09:30:00.000Z',
  },
  run: async (ctx, input, body) => {
    const key = await rotateIssued(ctx, input.id, overlapOf(body))
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const rotateOwnKey = pageOperation({
  name: 'rotate_own_key',
  summary: 'Replace an own key',
  bucket: 'keys',
  parameters: Type.Object({ id: keyId }),
  body: keyRotationBody,
  data: rotatedKeySchema,
  run: async (ctx, input, body) => {
    const key = await rotateIssued(ctx, input.id, overlapOf(body), ctx.caller.id)
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})
