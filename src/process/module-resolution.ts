import { registerHooks } from 'node:module'

/** A package with a package.json of 180 KB. Those of its `.js` files that import each other are ES modules. */
const PACKAGE = '/node_modules/drizzle-orm/'

/**
 * Resolves relative imports by their path alone. Otherwise Node reads the package.json above each of the two thousand files that a start
 * loads, to learn what kind of module it is; that takes a fifth of the loading time.
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
  const isInPackage = parentURL.includes(PACKAGE) && parentURL.endsWith('.js') && specifier.endsWith('.js')
  return isInPackage ? 'module' : undefined
}
