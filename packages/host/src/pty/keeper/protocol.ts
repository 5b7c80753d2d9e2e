import { constants } from 'node:os';
import type { PtyError, PtySpec } from '../pty.ts';
import { FrameError } from './frames.ts';

/**
 * Number of the protocol between host and keeper. It changes only with an incompatible change. A new message or field is compatible, because
 * both ends ignore unknown ones. `hello` never changes.
 */
export const KEEPER_PROTOCOL = 1;

/** First message of both ends, sent at once. */
export interface Hello {
  readonly type: 'hello';
  /** See `KEEPER_PROTOCOL`. */
  readonly protocol: number;
  /** Version of the package. */
  readonly build: string;
  /** Process id. */
  readonly pid: number;
}

/** Messages of a host after `hello`. `pty`: the keeper's number of a pty. `request`: repeated in the answer. */
export type HostMessage =
  | Hello
  | { readonly type: 'list'; readonly request: number }
  | { readonly type: 'spawn'; readonly request: number; readonly spec: PtySpec }
  /** Begins `data` frames from `offset` on, and `exit` after the last of them. */
  | { readonly type: 'attach'; readonly pty: number; readonly offset: number }
  /** See `Pty.hold`. Older builds ignore it. */
  | { readonly type: 'hold'; readonly pty: number; readonly isOn: boolean }
  | { readonly type: 'resize'; readonly pty: number; readonly cols: number; readonly rows: number }
  | { readonly type: 'signal'; readonly pty: number; readonly signal: NodeJS.Signals }
  /**
   * With `forgets`, the keeper no longer lists the pty, and releases it when it has ended and no host reads it. Older builds wait for
   * `release`.
   */
  | { readonly type: 'kill'; readonly request: number; readonly pty: number; readonly forgets?: boolean }
  | { readonly type: 'release'; readonly pty: number };

/** Messages of a keeper after `hello`. */
export type KeeperMessage =
  | Hello
  | { readonly type: 'listed'; readonly request: number; readonly ptys: readonly ListedPty[] }
  | { readonly type: 'spawned'; readonly request: number; readonly pty: number; readonly pid: number }
  /** Answers `kill`: the first process is gone. */
  | { readonly type: 'killed'; readonly request: number }
  /** Answers any request. `message` is for users; for `fault` see `PtyError`. Older builds send no `fault`. */
  | {
      readonly type: 'failed';
      readonly request: number;
      readonly message: string;
      readonly fault: PtyError['fault'];
    }
  /** All output was sent. */
  | { readonly type: 'exit'; readonly pty: number; readonly exitCode: number };

/** A pty that a keeper holds, running or ended. */
export interface ListedPty {
  /** The keeper's number of the pty, which it never uses again. */
  readonly pty: number;
  /** The id of its `PtySpec`. */
  readonly id: string;
  readonly pid: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a message of a host. Returns `undefined` for an unknown type. Throws `FrameError` for a malformed message.
 */
export function parseHostMessage(text: string): HostMessage | undefined {
  const fields = parseFields(text);
  switch (fields.type) {
    case 'hello':
      return parseHello(fields);
    case 'list':
      return { type: 'list', request: count(fields, 'request') };
    case 'spawn':
      return { type: 'spawn', request: count(fields, 'request'), spec: parseSpec(fields.spec) };
    case 'attach':
      return { type: 'attach', pty: count(fields, 'pty'), offset: count(fields, 'offset') };
    case 'hold':
      return { type: 'hold', pty: count(fields, 'pty'), isOn: fields.isOn === true };
    case 'resize':
      return {
        type: 'resize',
        pty: count(fields, 'pty'),
        cols: size(fields, 'cols'),
        rows: size(fields, 'rows'),
      };
    case 'signal':
      return { type: 'signal', pty: count(fields, 'pty'), signal: parseSignal(fields.signal) };
    case 'kill':
      return {
        type: 'kill',
        request: count(fields, 'request'),
        pty: count(fields, 'pty'),
        ...(fields.forgets === true ? { forgets: true } : {}),
      };
    case 'release':
      return { type: 'release', pty: count(fields, 'pty') };
    default:
      return undefined;
  }
}

/**
 * Parses a message of a keeper. Returns `undefined` for an unknown type. Throws `FrameError` for a malformed message.
 */
export function parseKeeperMessage(text: string): KeeperMessage | undefined {
  const fields = parseFields(text);
  switch (fields.type) {
    case 'hello':
      return parseHello(fields);
    case 'listed':
      return { type: 'listed', request: count(fields, 'request'), ptys: list(fields.ptys).map(parseListed) };
    case 'spawned':
      return {
        type: 'spawned',
        request: count(fields, 'request'),
        pty: count(fields, 'pty'),
        pid: count(fields, 'pid'),
      };
    case 'killed':
      return { type: 'killed', request: count(fields, 'request') };
    case 'failed':
      return {
        type: 'failed',
        request: count(fields, 'request'),
        message: string(fields, 'message'),
        fault: fields.fault === 'owner' ? 'owner' : 'spec',
      };
    case 'exit':
      return { type: 'exit', pty: count(fields, 'pty'), exitCode: count(fields, 'exitCode') };
    default:
      return undefined;
  }
}

function parseHello(fields: Fields): Hello {
  return {
    type: 'hello',
    protocol: count(fields, 'protocol'),
    build: string(fields, 'build'),
    pid: count(fields, 'pid'),
  };
}

function parseListed(value: unknown): ListedPty {
  const fields = object(value);
  return { pty: count(fields, 'pty'), id: string(fields, 'id'), pid: count(fields, 'pid') };
}

function parseSpec(value: unknown): PtySpec {
  const fields = object(value);
  const [program, ...args] = list(fields.command).map(text);
  if (program === undefined) throw new FrameError('expected a program');
  return {
    id: string(fields, 'id'),
    command: [program, ...args],
    cwd: string(fields, 'cwd'),
    env: Object.fromEntries(Object.entries(object(fields.env)).map(([name, entry]) => [name, text(entry)])),
    cols: size(fields, 'cols'),
    rows: size(fields, 'rows'),
  };
}

function parseSignal(value: unknown): NodeJS.Signals {
  if (!isSignal(value)) throw new FrameError('unknown signal');
  return value;
}

function isSignal(value: unknown): value is NodeJS.Signals {
  return typeof value === 'string' && Object.hasOwn(constants.signals, value);
}

function parseFields(json: string): Fields {
  try {
    return object(JSON.parse(json));
  } catch (error) {
    throw new FrameError('not a JSON object', { cause: error });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function object(value: unknown): Fields {
  if (!isFields(value)) throw new FrameError('expected an object');
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new FrameError('expected a list');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new FrameError('expected a string');
  return value;
}

function string(fields: Fields, name: string): string {
  return text(fields[name]);
}

function count(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new FrameError(`${name}: expected a non-negative integer`);
  }
  return value;
}

/** The columns or rows of a terminal. An invalid value becomes 0, which the pty refuses. */
function size(fields: Fields, name: string): number {
  const value = fields[name];
  return typeof value === 'number' ? value : 0;
}
