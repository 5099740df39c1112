/** Matches what differs between two otherwise equal answers: identifiers and times. */
export const UUID_AND_TIME =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d\.\d+Z)?/g
