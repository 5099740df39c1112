// Reads a page in its own thread, because deep or malformed markup can keep a parser busy for minutes and requests must not wait for it.
import { parentPort, workerData } from 'node:worker_threads'
import { type PageSource, readPage } from './page.rules.ts'

if (!parentPort) throw new Error('This file runs only in a thread.')
parentPort.postMessage(readPage(workerData as PageSource))
