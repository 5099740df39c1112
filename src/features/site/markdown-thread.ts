// Renders the operator's texts in a thread of its own (`render-text.ts` says why).
import { parentPort } from 'node:worker_threads'
import { renderText } from './render-text.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on('message', (text: string) => port.postMessage(renderText(text)))
port.postMessage('loaded')
