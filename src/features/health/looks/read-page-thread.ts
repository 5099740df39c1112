// Reads the pages of websites in a thread of its own: deep or malformed markup can keep the parser busy for minutes, and requests must not
// wait. `health/feature.ts` starts it.
import { answerMessages } from '../../../kernel/work/threads.ts'
import { type WebsiteQuestion, websiteStateOf } from './page.rules.ts'

answerMessages(({ page, website, isDirectory }: WebsiteQuestion) => websiteStateOf(page, website, isDirectory))
