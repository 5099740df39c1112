// @module-tag once
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOwnAddress, ownPicture, pictureFrom, withPictures } from '../../src/kernel/addresses/own-addresses.ts'

const OUR_ORIGIN = 'https://catalog.example.com'
const NAME = `${'0123456789abcdef'.repeat(3).slice(0, 40)}.webp`
const PICTURE = `${OUR_ORIGIN}/media/${NAME}`

describe('the address of a stored picture', () => {
  test('is recognised in every spelling, and returned in the stored one', () => {
    for (const spelling of [
      PICTURE,
      `HTTPS://Catalog.Example.COM/media/${NAME}`,
      `${OUR_ORIGIN}:443/media/${NAME}`,
      `${OUR_ORIGIN}/media/./${NAME}`,
      `${OUR_ORIGIN}/tools/../media/${NAME}`,
      `${OUR_ORIGIN}/media/%2e/${NAME}`,
      ` ${PICTURE} `,
    ])
      expect(ownPicture(OUR_ORIGIN, spelling), spelling).toBe(PICTURE)
  })

  test('is not taken for what only looks like one', () => {
    for (const other of [
      `${OUR_ORIGIN}/media/../tools/x/visit`,
      `${OUR_ORIGIN}/media/%2e%2e/tools/x/visit`,
      `${OUR_ORIGIN}/media/..%2ftools/x/visit`,
      `${OUR_ORIGIN}/media\\..\\tools\\x\\visit`,
      `${OUR_ORIGIN}/media/${NAME}/../../tools/x/visit`,
      `${OUR_ORIGIN}/media/${NAME}/x`,
      `${OUR_ORIGIN}/media/${NAME}?x`,
      `${OUR_ORIGIN}/media/${NAME}#x`,
      `${OUR_ORIGIN}/media/${NAME.toUpperCase()}`,
      `${OUR_ORIGIN}/media/${NAME.replace('webp', 'svg')}`,
      `${OUR_ORIGIN}/media/x${NAME}`,
      `${OUR_ORIGIN}//media/${NAME}`,
      `https://a@catalog.example.com/media/${NAME}`,
      `https://catalog.example.com:8443/media/${NAME}`,
      `https://catalog.example.com./media/${NAME}`,
      `https://other.example.com/media/${NAME}`,
      'not an address',
    ])
      expect(ownPicture(OUR_ORIGIN, other), other).toBeNull()
  })
})

describe('the picture address of a listing', () => {
  test('is left out when it is an address of this service but no picture, in any spelling', () => {
    for (const own of [
      `${OUR_ORIGIN}/media/../tools/x/visit`,
      `${OUR_ORIGIN}/tools/x/visit`,
      'http://catalog.example.com/tools/x/visit',
      'https://catalog.example.com./tools/x/visit',
      'https://CATALOG.example.com:443/tools/x/visit',
      'https://catalog.ex%61mple.com/tools/x/visit',
      'https://ｃatalog.example.com/tools/x/visit',
      'https://cat\nalog.example.com/tools/x/visit',
      'https:catalog.example.com/tools/x/visit',
      'https:\\\\catalog.example.com\\tools\\x\\visit',
      'https://other.example.com:443@catalog.example.com/tools/x/visit',
      OUR_ORIGIN,
    ]) {
      expect(isOwnAddress(OUR_ORIGIN, own), own).toBe(true)
      expect(pictureFrom(OUR_ORIGIN, own), own).toBeNull()
    }
  })

  test('stays as it is when it is on another host or port', () => {
    for (const other of [
      'https://product.example.com/icon.png',
      'https://example.com/tools/x/visit',
      'https://catalog.example.com:8443/icon.png',
      'https://catalog.example.com.evil.example/media/x.png',
      `https://product.example.com/?${OUR_ORIGIN}/media/${NAME}`,
      `https://product.example.com/${OUR_ORIGIN}/tools/x/visit`,
    ])
      expect(pictureFrom(OUR_ORIGIN, other), other).toBe(other)
    expect(pictureFrom('http://127.0.0.1:3000', 'http://127.0.0.1:4000/icon.png')).toBe(
      'http://127.0.0.1:4000/icon.png',
    )
    expect(pictureFrom('http://127.0.0.1:3000', 'http://127.1:3000/x')).toBeNull()
  })

  test('is for any path either on another host or exactly a name under /media/', () => {
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
      OUR_ORIGIN,
      'http://catalog.example.com',
      'HTTPS://CATALOG.EXAMPLE.COM',
      'https://other.example',
    )
    fc.assert(
      fc.property(host, fc.array(part, { maxLength: 7 }), (origin, parts) => {
        const passed = pictureFrom(OUR_ORIGIN, `${origin}/${parts.join('/')}`)
        if (passed === null) return
        const { hostname, pathname } = new URL(passed)
        expect(hostname === 'other.example' || pathname === `/media/${NAME}`).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })

  test('is left out of a listing when it is no picture, and a missing field stays missing', () => {
    const bad = `${OUR_ORIGIN}/media/../tools/x/visit`
    expect(
      withPictures(OUR_ORIGIN, { icon: bad, frame: null, screenshots: [bad, PICTURE, 'https://a.example/1.png'] }),
    ).toEqual({
      icon: null,
      frame: null,
      screenshots: [PICTURE, 'https://a.example/1.png'],
    })
    expect(withPictures(OUR_ORIGIN, { name: 'x' } as object)).toEqual({ name: 'x' })
  })
})
