// Reads pages in a thread of its own, because deep or malformed markup can keep a parser busy for minutes and requests must not wait for it.
// `enrichment/feature.ts` starts it.
import { answerMessages } from '../../../kernel/work/threads.ts'
import { readPage } from './page.rules.ts'

answerMessages(readPage)
