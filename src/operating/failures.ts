/** What whoever operates the service can mend: the message says how, and no trace is shown. */
export class OperatingError extends Error {}
