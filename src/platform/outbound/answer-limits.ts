// Limits how many interim answers, pieces of a body and bytes a host may send in answer to an outbound request. Each costs time on the main
// thread, so a host must not be able to send them without end while a request waits.
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { OutboundFailure } from './failures.ts'

/** Far more interim answers, such as early hints, than any server sends. */
const MOST_INTERIM = 1_000
/** The least average size of a piece in bytes, besides FREE_PIECES. Servers send kilobytes; one that writes line by line, tens of bytes. */
const LEAST_BYTES = 24
const FREE_PIECES = 4_000
// More than the largest body that is read (10 MiB), with its headers and the encryption.
const MOST_SOCKET_BYTES = 16 * 1024 * 1024

const TOO_MANY = 'The answer comes in too many small pieces.'

export const limitPieces: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
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

// Reads are small, because undici parses all bytes of a read even after the answer has failed: after too many headers it creates an error
// for each further header of the same read.
const READ_BYTES = 2 * 1024

/** Limits the bytes of a connection; each has one answer. Only here are bytes outside the body counted, such as chunk extensions. */
export function limitReads(socket: Socket, mostBytes = MOST_SOCKET_BYTES): void {
  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    if (socket.bytesRead > mostBytes) socket.destroy(new OutboundFailure('The answer is too long.'))
    return socket.destroyed ? null : read(size ?? (Math.min(READ_BYTES, socket.readableLength) || undefined))
  }
}
