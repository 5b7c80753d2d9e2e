import type { ClientOptions } from '@agenthost/client';
import { ErrorCodes, PROTOCOL_VERSION } from '@agenthost/protocol';
import type { SavedStates } from './saved-states.ts';

/** The saved states of one host. */
export type ReadableStates = Pick<SavedStates, 'host' | 'channel'>;

type Transport = Awaited<ReturnType<ClientOptions['transport']>>;

interface Request {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A connection to the saved states of a host, which a client uses like the host itself: it can read all saved states, and change nothing. */
export function savedHostTransport(states: ReadableStates): Transport {
  let handlers: Parameters<Transport['start']>[0] | undefined;
  let isClosed = false;
  const waiting: string[] = [];

  const reply = async (frame: string): Promise<void> => {
    const request = readRequest(frame);
    if (request === undefined) return;
    const answer = await answerTo(request, states);
    if (!isClosed) handlers?.onFrame(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer }));
  };
  return {
    bufferedBytes: 0,
    send: (frame) => {
      if (isClosed) return;
      if (handlers === undefined) waiting.push(frame);
      else void reply(frame);
    },
    close: (code = 1000, reason = '') => {
      if (isClosed) return;
      isClosed = true;
      queueMicrotask(() => handlers?.onClose({ code, reason }));
    },
    start: (given) => {
      handlers = given;
      for (const frame of waiting.splice(0)) void reply(frame);
    },
  };
}

type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

async function answerTo({ method, params }: Request, states: ReadableStates): Promise<Answer> {
  try {
    switch (method) {
      case 'ping':
      case 'x-setPresence':
        return { result: null };
      case 'initialize':
        return {
          result: { protocolVersion: PROTOCOL_VERSION, serverSeq: 0, snapshots: [], 'x-scope': 'observe' },
        };
      case 'listSessions':
        return { result: { items: (await states.host())?.sessions ?? [] } };
      case 'subscribe':
        return await snapshotOf(String(params['channel']), states);
      default:
        return notPossible;
    }
  } catch (error) {
    return { error: { code: ErrorCodes.InternalError, message: String(error) } };
  }
}

async function snapshotOf(uri: string, states: ReadableStates): Promise<Answer> {
  const saved = await states.channel(uri);
  if (saved === undefined) return notSaved;
  return { result: { snapshot: { resource: uri, state: saved.state, fromSeq: 0 } } };
}

const notSaved: Answer = {
  error: {
    code: ErrorCodes.NotFound,
    message: 'this browser has no copy of it, and the host does not answer',
  },
};

/** The client treats it as an older host, which lacks these features. */
const notPossible: Answer = {
  error: { code: ErrorCodes.MethodNotFound, message: 'the host does not answer' },
};

/** Notifications need no answer. */
function readRequest(frame: string): Request | undefined {
  const message: unknown = JSON.parse(frame);
  if (typeof message !== 'object' || message === null) return undefined;
  const [id, method, params]: unknown[] = ['id', 'method', 'params'].map((key) => Reflect.get(message, key));
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return undefined;
  return { id, method, params: typeof params === 'object' && params !== null ? { ...params } : {} };
}
