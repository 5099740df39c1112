// Reads a listing in its own thread, because deep or malformed markup can keep a parser busy for minutes and requests must not wait for it.
import { parentPort, workerData } from 'node:worker_threads'
import { linkStateOf } from './page.rules.ts'
import type { ListingPage } from './verdict.rules.ts'

if (!parentPort) throw new Error('This file runs only in a thread.')
const { page, productKeys } = workerData as { page: ListingPage; productKeys: readonly string[] }
parentPort.postMessage(linkStateOf(page, productKeys))
