// Two functions for objects of any shape.

/** Makes `base` the prototype of the new object `own`: nothing is copied, and getters of `base` stay getters. */
export const extend = <Base extends object, Own extends object>(base: Base, own: Own): Omit<Base, keyof Own> & Own =>
  Object.setPrototypeOf(own, base)

/** Whether a value that was read from JSON is an object with names. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
