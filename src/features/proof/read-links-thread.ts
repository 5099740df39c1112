// Reads listing pages in a thread of its own: deep or malformed markup can keep the parser busy for minutes, and requests must not wait.
import { parentPort } from 'node:worker_threads'
import { linkStateOf } from './page.rules.ts'
import type { ListingPage } from './verdict.rules.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on(
  'message',
  ({ page, productKeys, name }: { page: ListingPage; productKeys: readonly string[]; name?: string }) =>
    port.postMessage(linkStateOf(page, productKeys, name)),
)
port.postMessage('loaded')
