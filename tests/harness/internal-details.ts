// What an answer must not reveal.

/** Internal details: names of programs, SQL, paths, stack traces. */
export const INTERNAL_DETAILS =
  /node_modules|\.ts\b|\bat .+:\d+:\d+|fastify|drizzle|pglite|postgres|\bSQL\b|select .+ from|insert into|syntax error|stack|ECONN|undefined|\[object|\/tmp\/|\/src\/|TypeError|Cannot read/i
