// How the bytes of an answer may arrive. Each interim answer and each piece of a body is work for the main thread, and so is what the
// protocol lets a host send beside the body, so a host must not be able to send them without end while the request waits.
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { OutboundFailure } from './failures.ts'

/** Far more than any server sends before its answer, such as early hints. */
const MOST_INTERIM = 1_000
/** Servers send pieces of kilobytes; one that writes line by line sends some of less than a hundred bytes. */
const LEAST_BYTES = 24
const FREE_PIECES = 4_000
// More than the largest body that is read (10 MiB), with its headers and the encryption.
const MOST_SOCKET_BYTES = 16 * 1024 * 1024

const TOO_MANY = 'The answer comes in too many small pieces.'

export const boundPieces: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  let interim = 0
  let pieces = 0
  let bytes = 0
  return dispatch(options, {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart(controller, status, ...given) {
      if (status < 200 && ++interim > MOST_INTERIM)
        throw new OutboundFailure('The host sends too many interim answers.')
      handler.onResponseStart?.(controller, status, ...given)
    },
    onResponseData(controller, chunk) {
      bytes += chunk.length
      if (++pieces > FREE_PIECES + bytes / LEAST_BYTES) throw new OutboundFailure(TOO_MANY)
      handler.onResponseData?.(controller, chunk)
    },
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  })
}

// The library parses what one read gives without a look at what it has decided meanwhile: after too many headers it makes an error for each
// further one of the same read.
const READ_BYTES = 2 * 1024

/** A connection is used for one answer. What comes beside the body, such as extensions of its pieces, counts here alone. */
export function boundReads(socket: Socket, mostBytes = MOST_SOCKET_BYTES): void {
  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    if (socket.bytesRead > mostBytes) socket.destroy(new OutboundFailure('The answer is too long.'))
    return socket.destroyed ? null : read(size ?? (Math.min(READ_BYTES, socket.readableLength) || undefined))
  }
}
