// Faults to plant between a host and its clients. Each breaks one rule.
import type { Transport } from '@agenthost/rpc';

type Message = Record<string, unknown>;

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One connection of a faulty host. */
export interface Line {
  /** Delivers a message to this client. */
  deliver(message: Message): void;
  /** Delivers a message to every other client. */
  deliverToOthers(message: Message): void;
  /** Passes a message of the client to the host. */
  pass(message: Message): void;
  /** Kept for the life of the connection. */
  readonly memory: Map<string, unknown>;
}

/** What a fault does to messages; a message that it does not handle passes. */
export interface Fault {
  /** A message from the host. True: it is handled. */
  toClient?(message: Message, line: Line): boolean;
  /** A message from the client. True: it is handled. */
  toHost?(message: Message, line: Line): boolean;
  /** The host does not close connections. */
  readonly keepsOpen?: true;
}

/** Makes every connection of a host faulty. */
export function planted(fault: Fault, open: (signal: AbortSignal) => Promise<Transport>): typeof open {
  const lines = new Set<Line>();
  return async (signal) => {
    const inner = await open(signal);
    let deliver: (text: string) => void = () => undefined;
    const line: Line = {
      memory: new Map(),
      deliver: (message) => deliver(JSON.stringify(message)),
      deliverToOthers: (message) => {
        for (const other of lines) if (other !== line) other.deliver(message);
      },
      pass: (message) => inner.send(JSON.stringify(message)),
    };
    lines.add(line);
    return {
      bufferedBytes: 0,
      close: (code, reason) => inner.close(code, reason),
      send: (text) => {
        let message: unknown;
        try {
          message = JSON.parse(text);
        } catch {
          message = undefined;
        }
        if (isObject(message)) {
          const { id, method, params } = message;
          if (id !== undefined) line.memory.set(`method ${String(id)}`, method);
          if (isObject(params) && id !== undefined)
            line.memory.set(`channel ${String(id)}`, params['channel']);
          if (fault.toHost?.(message, line) === true) return;
        }
        inner.send(text);
      },
      start: ({ onFrame, onClose }) => {
        deliver = onFrame;
        inner.start({
          onFrame: (text) => {
            const message: unknown = JSON.parse(text);
            if (isObject(message) && fault.toClient?.(message, line) === true) return;
            onFrame(text);
          },
          onClose: (info) => {
            lines.delete(line);
            if (fault.keepsOpen !== true) onClose(info);
          },
        });
      },
    };
  };
}

const methodOf = (message: Message, line: Line): unknown =>
  message['method'] === undefined ? line.memory.get(`method ${String(message['id'])}`) : undefined;

/** Changes envelopes of a type. */
const envelopes =
  (
    type: string,
    change: (params: Message, line: Line) => Message | undefined,
  ): NonNullable<Fault['toClient']> =>
  (message, line) => {
    const { method, params } = message;
    if (method !== 'action' || !isObject(params) || !isObject(params['action'])) return false;
    if (type !== '' && params['action']['type'] !== type) return false;
    const changed = change(params, line);
    if (changed !== undefined) line.deliver({ ...message, params: changed });
    return true;
  };

/** Changes answers to a method. */
const answers =
  (
    method: string,
    change: (message: Message, line: Line) => Message | undefined,
  ): NonNullable<Fault['toClient']> =>
  (message, line) => {
    if (methodOf(message, line) !== method) return false;
    const changed = change(message, line);
    if (changed !== undefined) line.deliver(changed);
    return true;
  };

const TITLE = 'session/titleChanged';

/** A fault, the rule that it breaks, and the checks to play. */
export interface Planted {
  readonly name: string;
  readonly breaks: string;
  /** Rule or title of the checks to play. Default: those of the broken rule. */
  readonly play?: string;
  readonly fault: Fault;
}

export const FAULTS: readonly Planted[] = [
  {
    name: 'answers with a wrong id',
    breaks: 'WIRE-3',
    play: 'ROOT-2',
    fault: { toClient: answers('listSessions', (message) => ({ ...message, id: 4_711 })) },
  },
  {
    name: 'answers twice',
    breaks: 'WIRE-3',
    play: 'ROOT-2',
    fault: {
      toClient: answers('listSessions', (message, line) => {
        line.deliver(message);
        return message;
      }),
    },
  },
  {
    name: 'does not answer what is not JSON',
    breaks: 'WIRE-3',
    fault: { toClient: (message) => isObject(message['error']) && message['error']['code'] === -32700 },
  },
  {
    name: 'has no command that it should have',
    breaks: 'ROOT-2',
    fault: {
      toHost: (message, line) => {
        if (message['method'] !== 'listSessions') return false;
        line.deliver({ jsonrpc: '2.0', id: message['id'], error: { code: -32601, message: 'Unknown' } });
        return true;
      },
    },
  },
  {
    name: 'leaves the channel out of a notification',
    breaks: 'WIRE-2',
    play: 'ROOT-3',
    fault: {
      toClient: (message, line) => {
        if (message['method'] !== 'root/sessionAdded' || !isObject(message['params'])) return false;
        const { channel: _channel, ...params } = message['params'];
        line.deliver({ ...message, params });
        return true;
      },
    },
  },
  {
    name: 'answers a ping ahead of earlier messages',
    breaks: 'WIRE-4',
    fault: {
      toHost: (message, line) => {
        if (message['method'] !== 'ping') return false;
        line.deliver({ jsonrpc: '2.0', id: message['id'], result: null });
        return true;
      },
    },
  },
  {
    name: 'accepts an unknown version',
    breaks: 'NEG-5',
    fault: {
      toHost: (message, line) => {
        const params = message['params'];
        if (
          message['method'] !== 'initialize' ||
          !isObject(params) ||
          !Array.isArray(params['protocolVersions'])
        )
          return false;
        if (params['protocolVersions'].join(' ') !== '999.0.0 0.0.1') return false;
        const result = { protocolVersion: '999.0.0', serverSeq: 0, snapshots: [] };
        line.deliver({ jsonrpc: '2.0', id: message['id'], result });
        return true;
      },
    },
  },
  {
    name: 'refuses a version without naming its own',
    breaks: 'NEG-5',
    fault: {
      toClient: answers('initialize', (message) => {
        if (!isObject(message['error'])) return message;
        const { data: _data, ...error } = message['error'];
        return { ...message, error };
      }),
    },
  },
  { name: 'keeps the replaced connection open', breaks: 'CONN-3', fault: { keepsOpen: true } },
  {
    name: 'sends an envelope without a number',
    breaks: 'CONN-4',
    play: 'ACT-2',
    fault: { toClient: envelopes(TITLE, ({ serverSeq: _serverSeq, ...params }) => params) },
  },
  {
    name: 'repeats a number',
    breaks: 'CONN-4',
    play: 'CONN-2',
    fault: {
      toClient: envelopes(TITLE, (params, { memory }) => {
        const first = memory.get('first') ?? params['serverSeq'];
        memory.set('first', first);
        return { ...params, serverSeq: first };
      }),
    },
  },
  {
    name: 'loses an envelope after a snapshot',
    breaks: 'CONN-2',
    fault: {
      toClient: envelopes(TITLE, (params, { memory }) => {
        const isLost =
          isObject(params['action']) &&
          params['action']['title'] === 'late 0' &&
          memory.get('dispatched') !== true;
        return isLost ? undefined : params;
      }),
      toHost: (message, { memory }) => {
        if (message['method'] === 'dispatchAction') memory.set('dispatched', true);
        return false;
      },
    },
  },
  {
    name: 'sends an envelope that the snapshot has',
    breaks: 'CONN-2',
    play: 'SUB-1',
    fault: {
      toClient: answers('subscribe', (message) => {
        const { result } = message;
        if (!isObject(result) || !isObject(result['snapshot'])) return message;
        const snapshot = { ...result['snapshot'], fromSeq: Number(result['snapshot']['fromSeq']) + 1_000 };
        return { ...message, result: { ...result, snapshot } };
      }),
    },
  },
  {
    name: 'answers with a stale snapshot',
    breaks: 'SUB-1',
    fault: {
      toClient: answers('subscribe', (message, { memory }) => {
        const key = `snapshot ${String(memory.get(`channel ${String(message['id'])}`))}`;
        const first = memory.get(key) ?? message['result'];
        memory.set(key, first);
        return message['error'] === undefined ? { ...message, result: first } : message;
      }),
    },
  },
  {
    name: 'goes on sending after unsubscribe',
    breaks: 'SUB-2',
    fault: { toHost: (message) => message['method'] === 'unsubscribe' },
  },
  {
    name: 'leaves the origin out',
    breaks: 'ACT-2',
    fault: { toClient: envelopes(TITLE, ({ origin: _origin, ...params }) => params) },
  },
  {
    name: 'rejects without a reason',
    breaks: 'ACT-3',
    fault: { toClient: envelopes('', ({ rejectionReason: _reason, ...params }) => params) },
  },
  {
    name: 'sends rejections to everybody',
    breaks: 'ACT-3',
    fault: {
      toClient: envelopes('', (params, line) => {
        if (params['rejectionReason'] !== undefined)
          line.deliverToOthers({ jsonrpc: '2.0', method: 'action', params });
        return params;
      }),
    },
  },
  {
    name: 'echoes an action on an unknown channel',
    breaks: 'ACT-4',
    fault: {
      toHost: ({ method, params }, line) => {
        if (method !== 'dispatchAction' || !isObject(params) || !String(params['channel']).includes('/kit-'))
          return false;
        const envelope = {
          ...params,
          serverSeq: 1,
          origin: { clientId: 'kit', clientSeq: params['clientSeq'] },
        };
        line.deliver({ jsonrpc: '2.0', method: 'action', params: envelope });
        return true;
      },
    },
  },
  {
    name: 'leaves missed envelopes out of a replay',
    breaks: 'CONN-5',
    fault: {
      toClient: answers('reconnect', (message) => {
        const { result } = message;
        if (!isObject(result) || !Array.isArray(result['actions'])) return message;
        // Other envelopes of a young session may come first.
        const at = result['actions'].findIndex((each) => JSON.stringify(each).includes(TITLE));
        const actions = result['actions'].toSpliced(Math.max(at, 0), 1);
        return { ...message, result: { ...result, actions } };
      }),
    },
  },
  {
    name: 'sends an action that the version does not know',
    breaks: 'CONN-9',
    play: 'ACT-2',
    fault: {
      toClient: envelopes(TITLE, (params, line) => {
        const { origin: _origin, ...rest } = params;
        line.deliver({
          jsonrpc: '2.0',
          method: 'action',
          params: { ...rest, action: { type: 'session/kitFuture' } },
        });
        return { ...params, serverSeq: Number(params['serverSeq']) + 0.5 };
      }),
    },
  },
  {
    name: 'sends a state that does not fit its schema',
    breaks: 'CONN-9',
    play: 'SESS-2',
    fault: {
      toClient: answers('initialize', (message) =>
        isObject(message['result'])
          ? { ...message, result: { ...message['result'], serverSeq: 'many' } }
          : message,
      ),
    },
  },
  {
    name: 'takes a URI twice',
    breaks: 'SESS-1',
    fault: {
      toClient: answers('createSession', ({ error, ...message }) => ({
        ...message,
        ...(isObject(error) && error['code'] === -32003
          ? { result: null }
          : error === undefined
            ? {}
            : { error }),
      })),
    },
  },
  {
    name: 'says that it disposed of a session, and keeps it',
    breaks: 'SESS-3',
    fault: {
      toHost: (message, line) => {
        if (message['method'] !== 'disposeSession') return false;
        line.deliver({ jsonrpc: '2.0', id: message['id'], result: null });
        return true;
      },
    },
  },
  {
    name: 'shows typed input to everybody',
    breaks: 'TERM-2',
    fault: {
      toClient: envelopes('terminal/input', (params, line) => {
        line.deliverToOthers({ jsonrpc: '2.0', method: 'action', params });
        return params;
      }),
    },
  },
  {
    name: 'loses a delta of a turn',
    breaks: 'CHAT-4',
    fault: {
      toClient: envelopes('chat/delta', (params, { memory }) => {
        if (memory.get('lost') === true) return params;
        memory.set('lost', true);
        return undefined;
      }),
    },
  },
];
