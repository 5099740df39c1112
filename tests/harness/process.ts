// The service in its own process, which a test can kill, start twice and restart.
import { type ChildProcess, spawn } from 'node:child_process'
import { ADMIN_TOKEN, freePort, QUIET_SETTINGS } from './service.ts'

export interface ServiceProcess {
  origin: string
  child: ChildProcess
  /** The crash point at which tests/crash may kill the process. */
  point: string | undefined
  output(): string
  /** Resolves with the exit code. */
  ended: Promise<number | null>
  ready(): Promise<void>
  call(
    path: string,
    options?: { method?: string; token?: string; body?: unknown },
  ): Promise<{ status: number; body: any; headers: Headers }>
  kill(signal?: NodeJS.Signals): Promise<number | null>
}

/** A start takes a few seconds; on a machine that is busy with other work it may take much longer. */
export const START_LIMIT_MS = 180_000

const main = new URL('../../src/main.ts', import.meta.url).pathname

/** `command`: the role of the process, when it is not the usual one (server and worker). `script`: the main file of another version. */
export async function spawnService(
  environment: Record<string, string>,
  command: readonly string[] = ['serve'],
  script = main,
): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [script, ...command], {
    env: {
      ...{
        PATH,
        HOME,
        ...QUIET_SETTINGS,
        LOG_FORMAT: 'json',
        PUBLIC_URL: origin,
      },
      ...environment,
      PORT: port,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  const call: ServiceProcess['call'] = async (path, { method = 'GET', token = ADMIN_TOKEN, body } = {}) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const response = await fetch(origin + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const answer = await response.text()
    return { status: response.status, headers: response.headers, body: answer ? JSON.parse(answer) : undefined }
  }
  return {
    origin,
    child,
    point: environment.CRASH_POINT,
    output: () => text,
    ended,
    call,
    async ready() {
      let running = true
      void ended.then(() => (running = false))
      await until(async () => {
        if (!running) throw new Error(`the service ended: ${text}`)
        return (await fetch(`${origin}/readyz`).catch(() => null))?.status === 200
      }, START_LIMIT_MS)
    },
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      return ended
    },
  }
}

/**
 * For a test that something does not happen, after which it looks. Background work begins within milliseconds of its announcement, so what
 * was announced by mistake has happened by then. On a busy machine such a test may miss a mistake, but never fails without one.
 */
export const letMistakesHappen = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200))

/** A machine that is busy with other work may need this long for what usually takes a moment. */
export const WAIT_LIMIT_MS = 60_000

/** Repeats the check until it holds; fails after a minute, or after so many milliseconds where that is longer. */
export async function until(isSo: () => Promise<boolean> | boolean, milliseconds = 0): Promise<void> {
  const limit = Math.max(milliseconds, WAIT_LIMIT_MS)
  const end = Date.now() + limit
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`still not so after ${limit} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
