/** An error that the operator can fix: the message says how, and no stack trace is shown. */
export class OperatingError extends Error {}
