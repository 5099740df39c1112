// Reads listing pages in a thread of its own: deep or malformed markup can keep the parser busy for minutes, and requests must not wait.
import { parentPort } from 'node:worker_threads'
import { linkStateOf } from './page.rules.ts'
import type { PageQuestion } from './verdict.rules.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on('message', ({ page, productKeys, ...wishes }: PageQuestion) =>
  port.postMessage(linkStateOf(page, productKeys, wishes)),
)
port.postMessage('loaded')
