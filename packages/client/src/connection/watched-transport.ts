import type { Transport } from '@agenthost/rpc';
import { type Clock, steadyNow } from '../clock.ts';

/** A transport that notes when its last frame arrived. */
export interface WatchedTransport extends Transport {
  /** Time of the last frame, or of the start, by `steadyNow`. */
  lastFrameAt(): number;
}

/** Wraps a transport, so that the heartbeat knows when the last frame arrived. */
export function watchTransport(transport: Transport, clock: Clock): WatchedTransport {
  let lastFrameAt = steadyNow(clock);
  return {
    send: (frame) => transport.send(frame),
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) =>
      transport.start({
        onFrame: (frame) => {
          lastFrameAt = steadyNow(clock);
          onFrame(frame);
        },
        onClose,
      }),
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
    lastFrameAt: () => lastFrameAt,
  };
}
