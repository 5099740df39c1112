// Reads the pages of websites in a thread of its own: deep or malformed markup can keep the parser busy for minutes, and requests must not
// wait.
import { parentPort } from 'node:worker_threads'
import type { ListingPage } from '../proof/verdict.rules.ts'
import { websiteStateOf } from './page.rules.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on('message', ({ page, website }: { page: ListingPage; website: string }) =>
  port.postMessage(websiteStateOf(page, website)),
)
port.postMessage('loaded')
