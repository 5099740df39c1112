import { registerHooks } from 'node:module'

/** Its `.js` files that import each other are ES modules, and its package.json has 180 KB. */
const PACKAGE = '/node_modules/drizzle-orm/'

/**
 * Resolves imports of one file by another by their path alone. Otherwise Node reads the package.json above each of the two thousand files
 * that a start loads, to learn what kind of module it is, which takes a fifth of the time in which they are loaded.
 */
export function resolveByPath(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      const format = specifier.startsWith('.') && parentURL ? formatOf(specifier, parentURL) : undefined
      if (!format) return next(specifier, context)
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    },
  })
}

function formatOf(specifier: string, parentURL: string): string | undefined {
  if (specifier.endsWith('.ts')) return 'module-typescript'
  if (specifier.endsWith('.mjs')) return 'module'
  const isInside = parentURL.includes(PACKAGE) && parentURL.endsWith('.js') && specifier.endsWith('.js')
  return isInside ? 'module' : undefined
}
