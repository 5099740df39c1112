// Reads pages in a thread of its own, because deep or malformed markup can keep a parser busy for minutes and requests must not wait for it.
import { parentPort } from 'node:worker_threads'
import { type PageSource, readPage } from './page.rules.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on('message', (page: PageSource) => port.postMessage(readPage(page)))
port.postMessage('loaded')
