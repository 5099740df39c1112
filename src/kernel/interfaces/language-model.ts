// A language model, asked one question at a time.

export const MODEL_PURPOSES = ['support', 'enrichment', 'search-words'] as const
export type ModelPurpose = (typeof MODEL_PURPOSES)[number]

export interface ModelQuestion {
  purpose: ModelPurpose
  instructions: string
  /** Text from untrusted authors. The instructions tell the model not to follow it. */
  material: string
  /** The time for all attempts together. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface LanguageModel {
  /** The model's name, as the endpoint knows it. */
  name: string
  /** The JSON value of the model's answer. Throws ModelFailure when none arrives in time. */
  ask(question: ModelQuestion): Promise<unknown>
}

/** Why the model gave no answer: a sentence that an administrator can act on. It has neither keys nor texts of customers. */
export class ModelFailure extends Error {}

/** A question to the model, as the console shows it. The texts are not kept. */
export interface ModelCall {
  purpose: ModelPurpose
  model: string
  /** null: the model answered. */
  failure: string | null
  milliseconds: number
  /** The number of tokens as the endpoint states it; null when it does not. */
  inputTokens: number | null
  outputTokens: number | null
  /** In the currency of the endpoint; null when the endpoint does not state it. */
  cost: number | null
}
