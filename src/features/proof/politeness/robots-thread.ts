// Evaluates robots.txt files in a thread of its own: the time grows with the length of the file times the length of the address, and both
// come from outside. `proof/feature.ts` starts it.
import { answerMessages } from '../../../kernel/work/threads.ts'
import { robotsAllow } from './robots.rules.ts'

answerMessages(robotsAllow)
