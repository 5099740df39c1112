// A language model, asked one question at a time.

export interface LanguageModel {
  /**
   * The JSON value of the model's answer; throws when none arrives in time. `material` is text from untrusted authors, and the
   * instructions tell the model not to follow it.
   */
  ask(question: { instructions: string; material: string; timeoutMs: number; signal?: AbortSignal }): Promise<unknown>
}
