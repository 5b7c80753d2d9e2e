import { sameJson } from '@agenthost/protocol/values';
import { envelopeOf } from '../link/raw-client.ts';
import { type FrameEntry, isObject, shown } from '../recording/entry.ts';
import { paramsType, resultType } from './frame-types.ts';
import type { SchemaCheck } from './schema.ts';

/** A rule that every frame of a host must follow. */
export interface StandingRule {
  readonly rules: readonly string[];
  readonly title: string;
  /** The first frame that breaks it, and why. `frames` are those of one connection, in order. */
  broken(
    frames: readonly FrameEntry[],
    schema: SchemaCheck | undefined,
  ): { frames: FrameEntry[]; reason: string } | undefined;
}

const fault = (reason: string, ...frames: FrameEntry[]): { frames: FrameEntry[]; reason: string } => ({
  frames,
  reason,
});
const isFromHost = ({ direction }: FrameEntry): boolean => direction === 'host-to-client';

/** Requests of this client by id. */
function requestsIn(frames: readonly FrameEntry[]): Map<unknown, string> {
  return new Map(
    frames.flatMap(({ direction, message }): [unknown, string][] =>
      direction === 'client-to-host' && message?.['id'] !== undefined && typeof message['method'] === 'string'
        ? [[message['id'], message['method']]]
        : [],
    ),
  );
}

/** Rules that are checked on all frames of all checks. */
export const STANDING_RULES: readonly StandingRule[] = [
  {
    rules: ['WIRE-1'],
    title: 'every frame of the host is one JSON-RPC 2.0 message',
    broken: (frames) => {
      const wrong = frames.find((frame) => isFromHost(frame) && frame.message?.['jsonrpc'] !== '2.0');
      return wrong && fault('the frame is not JSON-RPC 2.0', wrong);
    },
  },
  {
    rules: ['WIRE-2'],
    title: 'every notification and request of the host has a channel in its params',
    broken: (frames) => {
      const wrong = frames.find(({ direction, message }) => {
        if (direction !== 'host-to-client' || typeof message?.['method'] !== 'string') return false;
        return !isObject(message['params']) || typeof message['params']['channel'] !== 'string';
      });
      return wrong && fault('params.channel is missing', wrong);
    },
  },
  {
    rules: ['WIRE-3'],
    title: 'every answer has the id of a request without an answer, and a result or an error',
    broken: (frames) => {
      const open = new Set<unknown>();
      for (const frame of frames) {
        const { id, method, result, error } = frame.message ?? {};
        if (!isFromHost(frame)) {
          if (method !== undefined && id !== undefined) open.add(id);
          continue;
        }
        if (frame.message === undefined || method !== undefined) continue;
        if (id !== null && !open.delete(id) && !isAnswerToBroken(frames, id))
          return fault(`an answer with the id ${shown(id)}, which is of no open request`, frame);
        if ((result === undefined) === (error === undefined))
          return fault('the answer needs a result or an error', frame);
        if (
          error !== undefined &&
          !(isObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string')
        )
          return fault('the error needs a whole number as code and a text as message', frame);
      }
      return undefined;
    },
  },
  {
    rules: ['CONN-4', 'ACT-1'],
    title: 'numbers of envelopes are whole and increase on each connection',
    broken: (frames) => {
      let last: FrameEntry | undefined;
      let lastSeq = -1;
      for (const frame of frames) {
        const envelope = envelopeOf(frame);
        if (envelope === undefined) continue;
        if (!Number.isSafeInteger(envelope.serverSeq))
          return fault('serverSeq is missing or no whole number', frame);
        if (envelope.serverSeq <= lastSeq)
          return fault(`number ${envelope.serverSeq} after ${lastSeq}`, ...(last ? [last] : []), frame);
        [last, lastSeq] = [frame, envelope.serverSeq];
      }
      return undefined;
    },
  },
  {
    rules: ['CONN-2', 'SUB-1'],
    title: 'envelopes after a snapshot have higher numbers than the snapshot',
    broken: (frames) => {
      const from = new Map<string, { seq: number; frame: FrameEntry }>();
      for (const frame of frames) {
        for (const { resource, fromSeq } of snapshotsIn(frame)) from.set(resource, { seq: fromSeq, frame });
        const envelope = envelopeOf(frame);
        const snapshot = envelope && from.get(envelope.channel);
        if (envelope !== undefined && snapshot !== undefined && envelope.serverSeq <= snapshot.seq)
          return fault(
            `number ${envelope.serverSeq} after a snapshot of ${snapshot.seq}`,
            snapshot.frame,
            frame,
          );
      }
      return undefined;
    },
  },
  {
    rules: ['ACT-3', 'ACT-7'],
    title: 'a rejection goes to the client that dispatched the action, with a reason',
    broken: (frames) => {
      const { clientId, dispatched } = ownIn(frames);
      for (const frame of frames) {
        const { rejectionReason, origin } = envelopeOf(frame) ?? {};
        if (rejectionReason === undefined) continue;
        if (typeof rejectionReason !== 'string' || rejectionReason === '')
          return fault('rejectionReason is empty', frame);
        if (origin?.['clientId'] !== clientId || !dispatched.has(origin?.['clientSeq']))
          return fault(`the rejection of ${shown(origin)} came to ${shown(clientId)}`, frame);
      }
      return undefined;
    },
  },
  {
    rules: ['ACT-2', 'SUB-2'],
    title: 'an envelope goes to subscribers of its channel and to its dispatcher only',
    broken: (frames) => {
      const { clientId, dispatched } = ownIn(frames);
      const subscribed = new Set<unknown>();
      for (const frame of frames) {
        const { method, params } = frame.message ?? {};
        if (!isFromHost(frame) && isObject(params)) {
          if (method === 'subscribe') subscribed.add(params['channel']);
          for (const name of ['initialSubscriptions', 'subscriptions'])
            if (Array.isArray(params[name])) for (const uri of params[name]) subscribed.add(uri);
        }
        const envelope = envelopeOf(frame);
        if (envelope === undefined) continue;
        const isOwn = envelope.origin?.['clientId'] === clientId;
        if (isOwn && !dispatched.has(envelope.origin?.['clientSeq']))
          return fault('the echo of an action that this connection did not dispatch', frame);
        if (!isOwn && !subscribed.has(envelope.channel))
          return fault(
            `an envelope of ${envelope.channel}, which this connection never subscribed to`,
            frame,
          );
      }
      return undefined;
    },
  },
  {
    rules: ['CONN-9', 'NEG-6'],
    title: 'actions belong to the negotiated version',
    broken: (frames, schema) => {
      const known = schema?.actionTypes();
      if (known === undefined || known.size === 0) return undefined;
      const { clientId } = ownIn(frames);
      const wrong = frames.find((frame) => {
        const envelope = envelopeOf(frame);
        const type = envelope?.action['type'];
        // An echo has the action as the client dispatched it.
        if (envelope === undefined || envelope.origin?.['clientId'] === clientId) return false;
        return (
          typeof type !== 'string' || !(known.has(type) || type.includes('/x-') || type.startsWith('x-'))
        );
      });
      return wrong && fault('the version does not know this action', wrong);
    },
  },
  {
    rules: ['CONN-9', 'WIRE-1'],
    title: 'results, notifications and snapshots fit the schema of the negotiated version',
    broken: (frames, schema) => {
      if (schema === undefined) return undefined;
      const asked = requestsIn(frames);
      const { dispatched } = ownIn(frames);
      for (const frame of frames) {
        if (!isFromHost(frame) || frame.message === undefined) continue;
        const { id, method, params, result } = frame.message;
        const isCall = typeof method === 'string';
        const name = isCall ? paramsType(method) : resultType(asked.get(id) ?? '');
        const value = isCall ? params : result;
        // A rejected action is echoed as it was sent.
        if (
          name === undefined ||
          !isObject(value) ||
          !schema.has(name) ||
          value['rejectionReason'] !== undefined
        )
          continue;
        // The host accepted this action unchanged, so a fault in it is the client's.
        const { origin, action } = envelopeOf(frame) ?? {};
        if (action !== undefined && sameJson(dispatched.get(origin?.['clientSeq']), action)) continue;
        const misfit = schema.misfitOf(name, value, isCall ? 'params' : 'result');
        if (misfit !== undefined) return fault(`${misfit.path} ${misfit.problem}`, frame);
      }
      return undefined;
    },
  },
];

/** Whether an id was in a frame that is no proper request. */
const isAnswerToBroken = (frames: readonly FrameEntry[], id: unknown): boolean =>
  frames.some(
    ({ direction, message }) =>
      direction === 'client-to-host' &&
      message?.['id'] === id &&
      message?.['method'] === undefined &&
      message?.['result'] === undefined,
  );

/** Id of the client of a connection, and its actions by number. */
function ownIn(frames: readonly FrameEntry[]): { clientId: unknown; dispatched: Map<unknown, unknown> } {
  let clientId: unknown;
  const dispatched = new Map<unknown, unknown>();
  for (const { direction, message } of frames) {
    const params = message?.['params'];
    if (direction !== 'client-to-host' || !isObject(params)) continue;
    if (params['clientId'] !== undefined) clientId ??= params['clientId'];
    if (message?.['method'] === 'dispatchAction') dispatched.set(params['clientSeq'], params['action']);
  }
  return { clientId, dispatched };
}

/** Snapshots in an answer. */
function snapshotsIn({ direction, message }: FrameEntry): { resource: string; fromSeq: number }[] {
  const result = message?.['result'];
  if (direction !== 'host-to-client' || !isObject(result)) return [];
  const listed = Array.isArray(result['snapshots']) ? result['snapshots'] : [];
  return [...listed, result['snapshot']].flatMap((snapshot) =>
    isObject(snapshot) && typeof snapshot['resource'] === 'string' && typeof snapshot['fromSeq'] === 'number'
      ? [{ resource: snapshot['resource'], fromSeq: snapshot['fromSeq'] }]
      : [],
  );
}
