// Reads the pages of websites in a thread of its own: deep or malformed markup can keep the parser busy for minutes, and requests must not
// wait.
import { parentPort } from 'node:worker_threads'
import { type WebsiteQuestion, websiteStateOf } from './page.rules.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on('message', ({ page, website, isDirectory }: WebsiteQuestion) =>
  port.postMessage(websiteStateOf(page, website, isDirectory)),
)
port.postMessage('loaded')
