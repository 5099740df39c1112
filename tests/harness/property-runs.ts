/** How often a property of the search is tried. SEARCH_RUNS=5000 tries each that often, for minutes. */
export const propertyRuns = (usual: number): number => Number(process.env.SEARCH_RUNS ?? usual)
