// The operations of the operator API that the console's pages ask, by name.
import { listAuditEntries } from '../../../features/audit/operations.ts'
import { keyOperations } from '../../../features/keys/operations.ts'
import { partnerOperations } from '../../../features/keys/partners.operations.ts'
import { userOperations } from '../../../features/keys/users.operations.ts'
import { listingOperations } from '../../../features/listings/operations.ts'
import { knowledgeOperations } from '../../../features/support/knowledge.operations.ts'
import type { Operation } from '../../../kernel/operation.ts'

const operations = new Map<string, Operation>(
  [
    ...keyOperations,
    ...partnerOperations,
    ...userOperations,
    ...listingOperations,
    ...knowledgeOperations,
    listAuditEntries,
  ].map((operation) => [operation.name, operation]),
)

/** A name that does not exist is a slip of ours and is noticed when the service starts: call it there. */
export function operationNamed(name: string): Operation {
  const operation = operations.get(name)
  if (!operation) throw new TypeError(`there is no operation ${name}`)
  return operation
}
