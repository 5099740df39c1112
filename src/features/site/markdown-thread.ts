// Renders the operator's texts in a thread of its own (`markdown.ts` says why).
import { answerMessages } from '../../kernel/threads.ts'
import { renderText } from './markdown.ts'

answerMessages(renderText)
