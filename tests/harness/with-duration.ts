/**
 * The result, and the processor time of this thread meanwhile, in milliseconds. The service of a test runs in the same thread, so that
 * includes all that it does; what the machine gives to other processes does not count.
 */
export async function withDuration<T>(work: () => Promise<T>): Promise<[T, number]> {
  const before = process.threadCpuUsage()
  const result = await work()
  const { user, system } = process.threadCpuUsage(before)
  return [result, (user + system) / 1000]
}
