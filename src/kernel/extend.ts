/** Gives `own`, a new object, everything else of `base`: getters stay getters, and nothing is copied. */
export const extend = <Base extends object, Own extends object>(base: Base, own: Own): Omit<Base, keyof Own> & Own =>
  Object.setPrototypeOf(own, base)
