import type { Transport } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { FrameRecorder } from './recorder.ts';

/** The receiver of recorded frames. */
export type FrameSink = Pick<FrameRecorder, 'connectionOpened' | 'frame' | 'connectionClosed'>;

/** A client's transport whose frames are recorded. */
export function recordTransport(transport: Transport, recorder: FrameSink): Transport {
  const connection = recorder.connectionOpened();
  return {
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
    send: (frame) => {
      recorder.frame(connection, 'client-to-host', frame);
      transport.send(frame);
    },
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) =>
      transport.start({
        onFrame: (frame) => {
          recorder.frame(connection, 'host-to-client', frame);
          onFrame(frame);
        },
        onClose: (info) => {
          recorder.connectionClosed(connection, info);
          onClose(info);
        },
      }),
  };
}

/** A host's transport whose frames are recorded. It has no `sendBatch`, so that every frame passes one by one. */
export function recordServerTransport(transport: ServerTransport, recorder: FrameSink): ServerTransport {
  const connection = recorder.connectionOpened();
  const decoder = new TextDecoder();
  return {
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
    get takenBytes() {
      return transport.takenBytes;
    },
    send: (frame) => {
      recorder.frame(connection, 'host-to-client', frame);
      transport.send(frame);
    },
    sendBytes: (utf8) => {
      recorder.frame(connection, 'host-to-client', decoder.decode(utf8));
      transport.sendBytes(utf8);
    },
    cork: () => transport.cork(),
    uncork: () => transport.uncork(),
    onDrain: (listener) => transport.onDrain(listener),
    ...(transport.onControlFrame && {
      onControlFrame: (listener: () => void) => transport.onControlFrame?.(listener),
    }),
    ...(transport.probe && { probe: () => transport.probe?.() === true }),
    ...(transport.pause && { pause: () => transport.pause?.() }),
    ...(transport.resume && { resume: () => transport.resume?.() }),
    terminate: () => transport.terminate(),
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) =>
      transport.start({
        onFrame: (frame) => {
          recorder.frame(connection, 'client-to-host', frame);
          onFrame(frame);
        },
        onClose: (info) => {
          recorder.connectionClosed(connection, info);
          onClose(info);
        },
      }),
  };
}
