import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOwnAddress, ownPicture, pictureFrom, withPictures } from '../../src/kernel/own-addresses.ts'

const OURS = 'https://catalog.example.com'
const NAME = `${'0123456789abcdef'.repeat(3).slice(0, 40)}.webp`
const PICTURE = `${OURS}/media/${NAME}`

describe('a picture of ours', () => {
  test('is known in every spelling, and given in the one that is stored', () => {
    for (const spelling of [
      PICTURE,
      `HTTPS://Catalog.Example.COM/media/${NAME}`,
      `${OURS}:443/media/${NAME}`,
      `${OURS}/media/./${NAME}`,
      `${OURS}/tools/../media/${NAME}`,
      `${OURS}/media/%2e/${NAME}`,
      ` ${PICTURE} `,
    ])
      expect(ownPicture(OURS, spelling), spelling).toBe(PICTURE)
  })

  test('is nothing that only looks like one', () => {
    for (const other of [
      `${OURS}/media/../tools/x/visit`,
      `${OURS}/media/%2e%2e/tools/x/visit`,
      `${OURS}/media/..%2ftools/x/visit`,
      `${OURS}/media\\..\\tools\\x\\visit`,
      `${OURS}/media/${NAME}/../../tools/x/visit`,
      `${OURS}/media/${NAME}/x`,
      `${OURS}/media/${NAME}?x`,
      `${OURS}/media/${NAME}#x`,
      `${OURS}/media/${NAME.toUpperCase()}`,
      `${OURS}/media/${NAME.replace('webp', 'svg')}`,
      `${OURS}/media/x${NAME}`,
      `${OURS}//media/${NAME}`,
      `https://a@catalog.example.com/media/${NAME}`,
      `https://catalog.example.com:8443/media/${NAME}`,
      `https://catalog.example.com./media/${NAME}`,
      `https://other.example.com/media/${NAME}`,
      'not an address',
    ])
      expect(ownPicture(OURS, other), other).toBeNull()
  })
})

describe('as a picture', () => {
  test('an address of this service that is none is nothing, however it is spelt', () => {
    for (const own of [
      `${OURS}/media/../tools/x/visit`,
      `${OURS}/tools/x/visit`,
      'http://catalog.example.com/tools/x/visit',
      'https://catalog.example.com./tools/x/visit',
      'https://CATALOG.example.com:443/tools/x/visit',
      'https://catalog.ex%61mple.com/tools/x/visit',
      'https://ｃatalog.example.com/tools/x/visit',
      'https://cat\nalog.example.com/tools/x/visit',
      'https:catalog.example.com/tools/x/visit',
      'https:\\\\catalog.example.com\\tools\\x\\visit',
      'https://other.example.com:443@catalog.example.com/tools/x/visit',
      OURS,
    ]) {
      expect(isOwnAddress(OURS, own), own).toBe(true)
      expect(pictureFrom(OURS, own), own).toBeNull()
    }
  })

  test('an address of another host or port stays as it is', () => {
    for (const other of [
      'https://product.example.com/icon.png',
      'https://example.com/tools/x/visit',
      'https://catalog.example.com:8443/icon.png',
      'https://catalog.example.com.evil.example/media/x.png',
      `https://product.example.com/?${OURS}/media/${NAME}`,
      `https://product.example.com/${OURS}/tools/x/visit`,
    ])
      expect(pictureFrom(OURS, other), other).toBe(other)
    expect(pictureFrom('http://127.0.0.1:3000', 'http://127.0.0.1:4000/icon.png')).toBe(
      'http://127.0.0.1:4000/icon.png',
    )
    expect(pictureFrom('http://127.0.0.1:3000', 'http://127.1:3000/x')).toBeNull()
  })

  test('any path: whatever passes is another host, or exactly a name under /media/', () => {
    const part = fc.constantFrom(
      'media',
      '..',
      '.',
      '%2e%2e',
      'tools',
      'x',
      'visit',
      NAME,
      '',
      '\\',
      ';',
      '%2f',
      '?',
      '#',
    )
    const host = fc.constantFrom(
      OURS,
      'http://catalog.example.com',
      'HTTPS://CATALOG.EXAMPLE.COM',
      'https://other.example',
    )
    fc.assert(
      fc.property(host, fc.array(part, { maxLength: 7 }), (origin, parts) => {
        const passed = pictureFrom(OURS, `${origin}/${parts.join('/')}`)
        if (passed === null) return
        const { hostname, pathname } = new URL(passed)
        expect(hostname === 'other.example' || pathname === `/media/${NAME}`).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })

  test('of a listing: what is none is left out, and what is not there stays away', () => {
    const bad = `${OURS}/media/../tools/x/visit`
    expect(
      withPictures(OURS, { icon: bad, frame: null, screenshots: [bad, PICTURE, 'https://a.example/1.png'] }),
    ).toEqual({
      icon: null,
      frame: null,
      screenshots: [PICTURE, 'https://a.example/1.png'],
    })
    expect(withPictures(OURS, { name: 'x' } as object)).toEqual({ name: 'x' })
  })
})
