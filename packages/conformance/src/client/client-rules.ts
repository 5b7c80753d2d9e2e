import { envelopeOf } from '../link/raw-client.ts';
import { type FrameEntry, isObject, shown } from '../recording/entry.ts';

/** A rule for the frames of a client. */
export interface ClientRule {
  readonly rules: readonly string[];
  readonly title: string;
  /** The first frames that break it, and why. `frames` are those of one connection, in order. */
  broken(frames: readonly FrameEntry[]): { frames: FrameEntry[]; reason: string } | undefined;
}

const fault = (reason: string, ...frames: FrameEntry[]): { frames: FrameEntry[]; reason: string } => ({
  frames,
  reason,
});
const sent = ({ direction }: FrameEntry): boolean => direction === 'client-to-host';

/** VS Code sends these without a channel, and hosts accept that. */
const WITHOUT_CHANNEL = new Set(['reconnect', 'setClientManagedSettingsPermissions']);

/** Requests that are allowed before the answer to a handshake. */
const BEFORE_HANDSHAKE = new Set(['ping', 'initialize', 'reconnect']);

/** Error codes for malformed requests. */
const MALFORMED = new Set<unknown>([-32700, -32600, -32602]);

/** Rules that are checked on all frames of a client. */
export const CLIENT_RULES: readonly ClientRule[] = [
  {
    rules: ['WIRE-1'],
    title: 'every frame of the client is one JSON-RPC 2.0 message',
    broken: (frames) => {
      const wrong = frames.find((frame) => sent(frame) && frame.message?.['jsonrpc'] !== '2.0');
      return wrong && fault('the frame is not JSON-RPC 2.0', wrong);
    },
  },
  {
    rules: ['WIRE-2'],
    title: 'every request and notification of the client has a channel in its params',
    broken: (frames) => {
      const wrong = frames.find((frame) => {
        const { method, params } = frame.message ?? {};
        if (!sent(frame) || typeof method !== 'string' || WITHOUT_CHANNEL.has(method)) return false;
        return !isObject(params) || typeof params['channel'] !== 'string';
      });
      return wrong && fault('params.channel is missing', wrong);
    },
  },
  {
    rules: ['WIRE-4', 'CONN-3'],
    title: 'a handshake is the first request of a connection, and there is one',
    broken: (frames) => {
      const answered = new Set<unknown>();
      let isDone = false;
      for (const frame of frames) {
        const { id, method, result } = frame.message ?? {};
        if (!sent(frame)) {
          if (answered.has(id) && result !== undefined && method === undefined) isDone = true;
          continue;
        }
        if (typeof method !== 'string') continue;
        const isHandshake = method === 'initialize' || method === 'reconnect';
        if (isHandshake && isDone) return fault('a second handshake', frame);
        if (isHandshake) answered.add(id);
        else if (!isDone && !BEFORE_HANDSHAKE.has(method))
          return fault(`${method} before the handshake was answered`, frame);
      }
      return undefined;
    },
  },
  {
    rules: ['ACT-5'],
    title: 'clientSeq is a whole number and increases',
    broken: (frames) => {
      let last = 0;
      for (const frame of frames) {
        const { method, params } = frame.message ?? {};
        if (!sent(frame) || method !== 'dispatchAction' || !isObject(params)) continue;
        const { clientSeq } = params;
        if (typeof clientSeq !== 'number' || !Number.isSafeInteger(clientSeq) || clientSeq < 0)
          return fault(`clientSeq is ${shown(clientSeq)}`, frame);
        // VS Code sends all settings under 0.
        if (clientSeq === 0) continue;
        if (clientSeq <= last) return fault(`clientSeq ${clientSeq} after ${last}`, frame);
        last = clientSeq;
      }
      return undefined;
    },
  },
  {
    rules: ['ACT-3'],
    title: 'the client dispatches only what clients may dispatch, with valid payloads',
    broken: (frames) => {
      const wrong = frames.find((frame) => {
        const envelope = envelopeOf(frame);
        const code = envelope === undefined ? '' : shown(envelope.rejectionReason ?? '');
        // Settings that a host does not declare are rejected without harm.
        return code !== '' && envelope?.action['type'] !== 'root/configChanged';
      });
      return wrong && fault(`the host rejected it: ${shown(envelopeOf(wrong)?.rejectionReason)}`, wrong);
    },
  },
  {
    rules: ['WIRE-3'],
    title: 'the requests of the client have the params of their method',
    broken: (frames) => {
      const wrong = frames.find((frame) => {
        const error = frame.message?.['error'];
        return !sent(frame) && isObject(error) && MALFORMED.has(error['code']);
      });
      const id = wrong?.message?.['id'];
      const asked = frames.find(
        (frame) => sent(frame) && frame.message?.['id'] === id && frame.message?.['method'] !== undefined,
      );
      return wrong && fault('the host refused a request as malformed', ...(asked ? [asked] : []), wrong);
    },
  },
  {
    rules: ['WIRE-3', 'RES-4'],
    title: 'the client answers each request of the host once',
    broken: (frames) => {
      const open = new Map<unknown, FrameEntry>();
      for (const frame of frames) {
        const { id, method } = frame.message ?? {};
        if (id === undefined || id === null) continue;
        if (!sent(frame) && method !== undefined) open.set(id, frame);
        else if (sent(frame) && method === undefined && !open.delete(id))
          return fault('an answer to no open request', frame);
      }
      return undefined;
    },
  },
];
