// Reads listing pages in a thread of its own: deep or malformed markup can keep the parser busy for minutes, and requests must not wait.
import { answerMessages } from '../../kernel/threads.ts'
import type { LinkAccess } from './link-access.ts'
import { linkStateOf } from './page.rules.ts'

answerMessages(({ page, productKeys, name }: Parameters<LinkAccess['read']>[0]) => linkStateOf(page, productKeys, name))
