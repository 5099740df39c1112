// The address of a submission's report. The token in it is the only key to the page, so it has 128 random bits.
import { randomBytes } from 'node:crypto'

export const newReportToken = (): string => randomBytes(16).toString('hex')

export const reportUrl = (publicUrl: string, token: string): string => `${publicUrl}/reports/${token}`
