// node bench/evidence.ts: how well the chance of a plan predicts what becomes of products, on a made-up history with known truths. Each
// directory lists a true share of products within 30 days; outcomes are drawn, the chance is made from all but the last fifth, and the
// Brier score (mean squared error, lower is better) is taken on that fifth. Beside it: the mean of all directories, the bare share of each
// directory, and the outcome points of a plan's score, fitted to a chance.
import {
  chanceOf,
  type InTime,
  meanInTime,
  meanRate,
  outcomePoints,
} from '../src/features/plan/evidence/evidence.rules.ts'
import { randomFrom } from './catalog.ts'

const DIRECTORIES = 300
const HELD_BACK = 0.2

interface Directory {
  train: InTime
  held: boolean[]
}

/** `products`: how many were entered into a directory on average. */
function history(products: number, seed: number): Directory[] {
  const random = randomFrom(seed)
  return Array.from({ length: DIRECTORIES }, () => {
    // Most directories list most products, some hardly any.
    const truth = random() < 0.3 ? random() * 0.4 : 0.5 + random() * 0.5
    const count = Math.max(2, Math.floor(-Math.log(1 - random()) * products))
    const outcomes = Array.from({ length: count }, () => random() < truth)
    const from = Math.floor(count * (1 - HELD_BACK))
    const train = outcomes.slice(0, from)
    return { train: { live: train.filter(Boolean).length, cases: train.length }, held: outcomes.slice(from) }
  })
}

function brier(directories: readonly Directory[], predict: (train: InTime) => number): number {
  let [sum, count] = [0, 0]
  for (const { train, held } of directories)
    for (const isLive of held) {
      sum += (predict(train) - Number(isLive)) ** 2
      count++
    }
  return sum / count
}

console.log('products a directory   chance   mean of all   bare share   points of the score')
for (const products of [3, 10, 40]) {
  const directories = history(products, products)
  const all = directories.map(({ train }) => train)
  const mean = meanInTime(all)
  const outcomesOf = ({ live, cases }: InTime) => ({ accepted: live, refused: cases - live, lost: 0, isDead: false })
  const rate = meanRate(all.map(outcomesOf))
  const scores = {
    chance: brier(directories, (train) => chanceOf(train, mean)),
    mean: brier(directories, () => mean),
    bare: brier(directories, ({ live, cases }) => (cases === 0 ? mean : live / cases)),
    points: brier(directories, (train) => Math.max(0, Math.min(1, mean + outcomePoints(outcomesOf(train), rate) / 40))),
  }
  console.log(
    [String(products).padStart(10), ...Object.values(scores).map((score) => score.toFixed(4).padStart(14))].join(''),
  )
  if (scores.chance > Math.min(scores.mean, scores.points)) process.exitCode = 1
}
