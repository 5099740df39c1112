/**
 * What an Accept or Accept-Encoding header names, in lower case, with its quality: from 0 (not acceptable) to 1. A quality that is no number
 * counts as 0.
 */
export const qualitiesIn = (header: string): Map<string, number> => new Map(header.split(',').map(readQuality))

function readQuality(item: string): [name: string, quality: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
}
