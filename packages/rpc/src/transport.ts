/** Why a transport ended. Codes are those of WebSocket (RFC 6455), whatever the carrier; 1006 means "lost without a close". */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

/** What a transport tells its one user. */
export interface TransportHandlers {
  /** One whole text frame, in the order sent. Never called after `onClose`. */
  onFrame(frame: string): void;
  /** Called exactly once, whichever side closed. */
  onClose(info: CloseInfo): void;
}

/**
 * A reliable, ordered, bidirectional carrier of text frames [WIRE-1]. Listeners are set once, by `start`; frames that
 * arrive earlier are kept for it.
 */
export interface Transport {
  /** Queues one frame. Never throws; after close it does nothing. */
  send(frame: string): void;
  /** Ends the connection; frames sent before it are delivered if the carrier can. Calling it again does nothing. */
  close(code?: number, reason?: string): void;
  /** Sets the listeners; throws when called twice, since two readers would each see half of the frames. */
  start(handlers: TransportHandlers): void;
  /** Bytes that `send` accepted and that were not yet handed to the operating system. */
  readonly bufferedBytes: number;
}

/** Default bound of one frame from a client to a host, in bytes: larger ones close the connection with 1009. */
export const DEFAULT_MAX_CLIENT_FRAME_BYTES = 16 * 1024 * 1024;

/** Default bound of one frame from a host to a client, in bytes; snapshots are what needs the room. */
export const DEFAULT_MAX_HOST_FRAME_BYTES = 64 * 1024 * 1024;

/** Close codes that this package uses itself; the rest of RFC 6455 and 4000–4999 belong to the application. */
export const TRANSPORT_CLOSE = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  lost: 1006,
  policyViolation: 1008,
  frameTooLarge: 1009,
} as const;

/** Cuts a close reason to what a close frame holds: 123 bytes of UTF-8. At 3 bytes a code unit, 41 always fit. */
export function closeReason(reason: string): string {
  return reason.length <= 41 ? reason : reason.replace(/[^\x20-\x7e]/g, '?').slice(0, 123);
}
