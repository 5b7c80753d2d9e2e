import type { ActionEnvelope, ReconnectResult } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';
import type { Ledger } from './ledger.ts';
import type { Report } from './report.ts';
import type { Trace } from './trace.ts';

interface Frame {
  readonly id?: number;
  readonly method?: string;
  /** Of `action`; what other methods carry is not looked at. */
  readonly params?: ActionEnvelope;
  /** Of `reconnect`. */
  readonly result?: ReconnectResult;
  readonly error?: unknown;
}

/** A client's transport that notes what passes: handshakes and envelopes. */
export function tap(
  transport: Transport,
  who: string,
  { report, ledger, trace }: { report: Report; ledger: Ledger; trace: Trace },
): Transport {
  const handshakes = new Map<number, string>();
  const noteOut = (text: string): void => {
    trace.note(who, `→ ${text}`);
    const { id, method }: Frame = JSON.parse(text);
    if (id !== undefined && (method === 'reconnect' || method === 'initialize')) handshakes.set(id, method);
  };
  const noteIn = (text: string): void => {
    trace.note(who, `← ${text}`);
    const frame: Frame = JSON.parse(text);
    if (frame.method === 'action') {
      if (frame.params !== undefined) ledger.note(frame.params);
      return;
    }
    if (frame.id === undefined || frame.error !== undefined) return;
    const method = handshakes.get(frame.id);
    if (method === 'initialize') report.count('initializes');
    const { result } = frame;
    if (method !== 'reconnect' || result === undefined) return;
    report.count(result.type === 'replay' ? 'replayReconnects' : 'snapshotReconnects');
    if (result.type === 'replay') for (const envelope of result.actions) ledger.note(envelope);
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
          trace.note(who, `closed ${info.code} ${info.reason}`);
          onClose(info);
        },
      }),
  };
}
