// Asks a robots.txt in its own thread: the time grows with the length of the file times the length of the address, and both are a stranger's.
import { parentPort, workerData } from 'node:worker_threads'
import { type RobotsQuestion, robotsAllow } from './robots.rules.ts'

if (!parentPort) throw new Error('This file runs only in a thread.')
parentPort.postMessage(robotsAllow(workerData as RobotsQuestion))
