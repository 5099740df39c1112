// Reads a JSON list of words and writes the JSON list of their stems, as the search makes them.
import { readFileSync, writeFileSync } from 'node:fs'
import { stemOf } from '../../src/search/words/word-forms.ts'

const words = JSON.parse(readFileSync(0, 'utf8'))
writeFileSync(1, JSON.stringify(words.map(stemOf)))
