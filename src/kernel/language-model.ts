// A language model, asked one question at a time.

export interface LanguageModel {
  /**
   * The JSON value that it answers with; throws when there is none in time. `material` is what others wrote: the instructions
   * say that it is to be treated as such.
   */
  ask(question: { instructions: string; material: string; timeoutMs: number; signal?: AbortSignal }): Promise<unknown>
}
