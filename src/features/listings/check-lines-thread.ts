// The worker thread that `check-lines.ts` starts to check pieces of an import.
import { parentPort } from 'node:worker_threads'
import { checkPiece } from './check-lines.ts'
import type { Piece } from './lines.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on('message', async (piece: Piece) => port.postMessage(await checkPiece(piece)))
port.postMessage('loaded')
