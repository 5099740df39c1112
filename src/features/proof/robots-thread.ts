// Evaluates robots.txt files in a thread of its own: the time grows with the length of the file times the length of the address, and both
// come from outside.
import { parentPort } from 'node:worker_threads'
import { type RobotsQuestion, robotsAllow } from './robots.rules.ts'

const port = parentPort
if (!port) throw new Error('This file runs only in a thread.')
port.on('message', (question: RobotsQuestion) => port.postMessage(robotsAllow(question)))
port.postMessage('loaded')
