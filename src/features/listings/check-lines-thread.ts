// The worker thread that `lines.ts` starts to check pieces of an import.
import { answerMessages } from '../../kernel/threads.ts'
import { checkPiece } from './lines.ts'

answerMessages(checkPiece)
