// What an answer must not tell.

/** Nothing of what is inside: no program, no statement, no path, no stack. */
export const INSIDE =
  /node_modules|\.ts\b|\bat .+:\d+:\d+|fastify|drizzle|pglite|postgres|\bSQL\b|select .+ from|insert into|syntax error|stack|ECONN|undefined|\[object|\/tmp\/|\/src\/|TypeError|Cannot read/i
