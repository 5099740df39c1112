/** Returns the result of `work` and its duration in milliseconds. */
export async function withDuration<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now()
  const value = await work()
  return [value, performance.now() - began]
}
