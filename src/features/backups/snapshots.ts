// What a backup needs of the service while it runs.

export interface Snapshots {
  /**
   * Copies the database as it is at one moment into a folder, and answers its path below DATA_DIR; whoever asked removes it.
   * null: the database is not ours to copy.
   */
  take(): Promise<string> | null
}

declare module '../../kernel/context.ts' {
  interface Context {
    snapshots: Snapshots
  }
}
