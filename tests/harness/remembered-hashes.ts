// Hashing a password takes a tenth of a second of processor time, and a sign-up does it twice, because it signs in with the hash that it
// has just made. A test process computes each hash of the usual password once; a flood of other passwords costs what it costs.
import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { PASSWORD } from './browser.ts'

type Done = (error: Error | null, key: Buffer) => void

const { scrypt } = crypto
const known = new Map<string, Buffer>()

crypto.scrypt = ((password: string, salt: string, length: number, options: ScryptOptions, done: Done) => {
  if (password !== PASSWORD) return scrypt(password, salt, length, options, done)
  const name = JSON.stringify([salt, length, options])
  const key = known.get(name)
  if (key) return void setImmediate(done, null, Buffer.from(key))
  scrypt(password, salt, length, options, (error, made) => {
    if (!error) known.set(name, Buffer.from(made))
    done(error, made)
  })
}) as typeof scrypt
syncBuiltinESMExports()
