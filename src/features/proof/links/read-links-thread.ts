// Reads listing pages in a thread of its own: deep or malformed markup can keep the parser busy for minutes, and requests must not wait.
// `proof/feature.ts` starts it.
import { answerMessages } from '../../../kernel/work/threads.ts'
import type { PageQuestion } from '../rules.ts'
import { readListingPage } from './page.rules.ts'

answerMessages(({ page, productKeys, ...expected }: PageQuestion) => readListingPage(page, productKeys, expected))
