// The worker thread that `check-lines.ts` starts to check pieces of an import.
import { answerMessages } from '../../../kernel/work/threads.ts'
import { checkPiece } from './check-lines.ts'

answerMessages(checkPiece)
