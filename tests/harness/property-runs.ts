/** How often a property is tried; a quarter as often as its test says, because CI is short. SEARCH_RUNS=5000 takes minutes. */
export const propertyRuns = (usual: number): number => Number(process.env.SEARCH_RUNS ?? Math.ceil(usual / 4))
