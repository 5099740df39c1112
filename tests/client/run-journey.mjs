// node run-journey.mjs <address of the client's index.js> <JSON of what the journey needs>
import { journey } from './journey.js'

const [address, needs] = process.argv.slice(2)
console.log(JSON.stringify(await journey(await import(address), JSON.parse(needs))))
