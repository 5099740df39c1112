// `catalog doctor`: checks everything the service depends on. It changes nothing, except that opening DATA_DIR finishes an interrupted
// restore.
import { diagnoseConfig } from '../../config.ts'
import { examineBucket, examineEmbeddings, examineLanguageModel, examineMail, examineRedis } from './connections.ts'
import { examineDatabase } from './database.ts'
import { type DoctorFinding, findingsAbout, reasonOf } from './finding.ts'
import { examineOutbound, examinePort, isServiceRunning } from './network.ts'
import { examinePayments } from './payments.ts'
import { examineRunning } from './running.ts'
import { examineSettings } from './settings.ts'
import { examineSecrets, examineStorage } from './storage.ts'

export async function examine(): Promise<DoctorFinding[]> {
  const diagnosis = diagnoseConfig()
  const { config } = diagnosis
  const isRunning = await isServiceRunning(config)
  const checks: [string, () => DoctorFinding[] | Promise<DoctorFinding[]>][] = [
    ['Node', () => [findingsAbout('Node').ok(`Version ${process.versions.node}.`)]],
    ['Settings', () => examineSettings(diagnosis)],
    ['Storage', () => examineStorage(config)],
    ['Secrets', () => examineSecrets(diagnosis)],
    ['Database', () => examineDatabase(config, isRunning)],
    ['Redis', () => examineRedis(config)],
    ['Pictures', () => examineBucket(config)],
    ['Language model', () => examineLanguageModel(config)],
    ['Embeddings', () => examineEmbeddings(config)],
    ['Payments', () => examinePayments(config)],
    ['Mail', () => examineMail(config, isRunning)],
    ['Outbound', () => examineOutbound(config)],
    ['Port', () => examinePort(config, isRunning)],
    ['Running service', () => examineRunning(diagnosis, isRunning)],
  ]
  const found = await Promise.all(checks.map(([about, check]) => guarded(about, check)))
  return found.flat()
}

/** A check that throws must not hide what the other checks found. */
async function guarded(
  about: string,
  check: () => DoctorFinding[] | Promise<DoctorFinding[]>,
): Promise<DoctorFinding[]> {
  try {
    return await check()
  } catch (error) {
    return [
      findingsAbout(about).problem(
        `This could not be checked: ${reasonOf(error)}.`,
        'Correct the other problems first, and run this again.',
      ),
    ]
  }
}
