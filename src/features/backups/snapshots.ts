export interface Snapshots {
  /**
   * Copies the database as it is at one moment into a folder and returns its path below DATA_DIR; the caller removes it.
   * null: the database is an external PostgreSQL, which the service cannot copy.
   */
  take(): Promise<string> | null
}

declare module '../../kernel/context.ts' {
  interface Context {
    snapshots: Snapshots
  }
}
