import type { ActionEnvelope, ReconnectResult } from '@agenthost/protocol';
import type { CloseInfo, Transport } from '@agenthost/rpc';

/** Callbacks for a client's connection; all except `envelope` are optional. */
export interface TransportObserver {
  /** Called with each live or replayed envelope, before the client receives it. */
  envelope(envelope: ActionEnvelope): void;
  /** Called when `initialize` is answered. */
  initialized?(): void;
  /** Called when `reconnect` is answered; replayed envelopes follow. */
  reconnected?(type: ReconnectResult['type']): void;
  /** Called with every frame. */
  frame?(direction: 'in' | 'out', text: string): void;
  closed?(info: CloseInfo): void;
}

interface Frame {
  readonly id?: number;
  readonly method?: string;
  /** Params of `action`; params of other methods are not read. */
  readonly params?: ActionEnvelope;
  /** Result of `reconnect`. */
  readonly result?: ReconnectResult;
  readonly error?: unknown;
}

/** Wraps a client's transport and reports its handshakes and envelopes. */
export function observeTransport(transport: Transport, observer: TransportObserver): Transport {
  const handshakes = new Map<number, string>();
  const noteOut = (text: string): void => {
    observer.frame?.('out', text);
    const { id, method }: Frame = JSON.parse(text);
    if (id !== undefined && (method === 'reconnect' || method === 'initialize')) handshakes.set(id, method);
  };
  const noteIn = (text: string): void => {
    observer.frame?.('in', text);
    const { id, method, params, result, error }: Frame = JSON.parse(text);
    if (method === 'action' && params !== undefined) observer.envelope(params);
    if (id === undefined || method !== undefined || error !== undefined) return;
    if (handshakes.get(id) === 'initialize') observer.initialized?.();
    if (handshakes.get(id) !== 'reconnect' || result === undefined) return;
    observer.reconnected?.(result.type);
    if (result.type === 'replay') for (const envelope of result.actions) observer.envelope(envelope);
  };
  return {
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
    send: (text) => {
      noteOut(text);
      transport.send(text);
    },
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) =>
      transport.start({
        onFrame: (text) => {
          noteIn(text);
          onFrame(text);
        },
        onClose: (info) => {
          observer.closed?.(info);
          onClose(info);
        },
      }),
  };
}
