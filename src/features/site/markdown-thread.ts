// Renders the operator's texts in a thread of its own (`render-text.ts` says why).
import { answerMessages } from '../../kernel/threads.ts'
import { renderText } from './render-text.ts'

answerMessages(renderText)
