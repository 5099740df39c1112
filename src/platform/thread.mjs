// The first file of every thread, in JavaScript for the reason that catalog.mjs gives.
import { enableCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

enableCompileCache()
await import(workerData.file)
