// Reads a page in a thread of its own: deep or twisted markup can keep a parser busy for minutes, and nobody else may wait for it.
import { parentPort, workerData } from 'node:worker_threads'
import { type PageSource, readPage } from './page.rules.ts'

parentPort!.postMessage(readPage(workerData as PageSource))
