import type { ActionEnvelope, ReconnectResult } from '@agenthost/protocol';
import type { CloseInfo, Transport } from '@agenthost/rpc';

/** What an observer of a client's connection hears; all but `envelope` may be absent. */
export interface TransportObserver {
  /** One envelope, live or replayed, before the client sees it. */
  envelope(envelope: ActionEnvelope): void;
  /** `initialize` was answered. */
  initialized?(): void;
  /** `reconnect` was answered; the envelopes of a replay follow. */
  reconnected?(type: ReconnectResult['type']): void;
  /** Every frame, as text. */
  frame?(direction: 'in' | 'out', text: string): void;
  closed?(info: CloseInfo): void;
}

interface Frame {
  readonly id?: number;
  readonly method?: string;
  /** Of `action`; what other methods carry is not looked at. */
  readonly params?: ActionEnvelope;
  /** Of `reconnect`. */
  readonly result?: ReconnectResult;
  readonly error?: unknown;
}

/** A client's transport that tells what passes: handshakes and envelopes. */
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
