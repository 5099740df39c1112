// The picture library sharp with the restrictions of this service: it opens only the accepted formats and caches nothing.
import sharp from 'sharp'

// Blocks every other format that libvips could open (SVG, PDF, TIFF, …), even if the checks of encode.ts had a gap.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadPng',
    'VipsForeignLoadJpeg',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
})
sharp.cache(false)

export default sharp
