/**
 * Why a transport closed. Codes are those of WebSocket (RFC 6455) for every carrier; 1006 means that the
 * connection was lost without a close.
 */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

/** Callbacks of a transport. */
export interface TransportHandlers {
  /** Called with each text frame, in the order sent. Never called after `onClose`. */
  onFrame(frame: string): void;
  /** Called exactly once, whichever side closed. */
  onClose(info: CloseInfo): void;
}

/**
 * A reliable, ordered, bidirectional carrier of text frames [WIRE-1]. `start` sets the listeners once. Frames
 * that arrive before it are buffered.
 */
export interface Transport {
  /** Queues one frame. Never throws. Does nothing after the close. */
  send(frame: string): void;
  /**
   * Closes the connection. Frames sent before are delivered if the carrier can. Calling it again does
   * nothing. Default code 1000.
   */
  close(code?: number, reason?: string): void;
  /**
   * Sets the listeners. Throws when called twice, because two readers would each get a part of the frames.
   */
  start(handlers: TransportHandlers): void;
  /** Bytes that `send` accepted and that the operating system has not taken yet. */
  readonly bufferedBytes: number;
}

/**
 * Default limit for a frame from a client to a host: 16 MiB. Larger frames close the connection with code
 * 1009.
 */
export const DEFAULT_MAX_CLIENT_FRAME_BYTES = 16 * 1024 * 1024;

/** Default limit for a frame from a host to a client: 64 MiB. Snapshots need that much. */
export const DEFAULT_MAX_HOST_FRAME_BYTES = 64 * 1024 * 1024;

/**
 * The close codes that this package uses. Other codes of RFC 6455 and 4000–4999 belong to the application.
 */
export const TRANSPORT_CLOSE = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  lost: 1006,
  policyViolation: 1008,
  frameTooLarge: 1009,
} as const;

/**
 * Cuts a close reason to the size of a close frame: 123 bytes of UTF-8. A code unit takes at most 3 bytes, so
 * 41 always fit.
 */
export function closeReason(reason: string): string {
  return reason.length <= 41 ? reason : reason.replace(/[^\x20-\x7e]/g, '?').slice(0, 123);
}
