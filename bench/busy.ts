// Hot searches during and after an import of as many listings as the catalog has, compared with the same searches before it.
import { join } from 'node:path'
import { type LoadTarget, loadOnce, median } from './load.ts'
import { importFile, writeLines } from './operator.ts'
import { folder, type Server } from './processes.ts'
import { HOT_PATH } from './queries.ts'
import { information, row, section } from './table.ts'

const CALL = 10_000
const QUIET_ROUNDS = 5
const AFTER_SECONDS = 30

export async function measureBusy(server: Server, key: string, listings: number): Promise<void> {
  const hot: LoadTarget = {
    name: 'hot',
    server,
    path: HOT_PATH,
    headers: { authorization: `Bearer ${key}` },
    status: 200,
  }
  const files: string[] = []
  for (let from = 0; from < listings; from += CALL) {
    const file = join(folder, `busy-${from}.ndjson`)
    await writeLines(file, [], listings + from, listings + Math.min(from + CALL, listings), 0)
    files.push(file)
  }
  await loadOnce(hot, 2)
  const quiet = median(await ratesOf(hot, QUIET_ROUNDS))
  let isImporting = true
  const began = performance.now()
  const importing = (async () => {
    for (const file of files) await importFile(server, file)
    isImporting = false
    return performance.now() - began
  })()
  const during: number[] = []
  while (isImporting) during.push(...(await ratesOf(hot, 1)))
  const took = await importing
  const after = await ratesOf(hot, AFTER_SECONDS)
  const part = (rate: number) => (rate / quiet).toFixed(2)
  const mean = after.reduce((sum, rate) => sum + rate, 0) / after.length
  section(`Hot search beside an import of ${listings} listings in calls of ${CALL}`)
  information('Quiet', `${Math.round(quiet)}/s`)
  information('Import', `${Math.round(listings / (took / 1000))} listings/s`)
  information(
    'During the import, of its quiet speed: median, slowest second',
    `${part(median(during))}, ${part(Math.min(...during))}`,
  )
  row(`In the ${AFTER_SECONDS} s after it, of its quiet speed`, part(mean), '≥ 0.50', mean / quiet >= 0.5)
  information('  slowest second', part(Math.min(...after)))
}

async function ratesOf(target: LoadTarget, seconds: number): Promise<number[]> {
  const rates: number[] = []
  for (let second = 0; second < seconds; second++) rates.push((await loadOnce(target, 1)).perSecond)
  return rates
}
