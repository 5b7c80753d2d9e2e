import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { AgentError } from '@agenthost/host/agent';
import { isObject, type JsonObject } from '../json.ts';
import type { AcpTimers } from '../runtime.ts';

/**
 * Greatest nesting of an agent's message; deeper parts are cut. Parts of messages become state a few levels
 * deeper, and clients refuse messages nested deeper than 128.
 */
const MAX_DEPTH = 48;

/** Replacement for a part that was cut. */
const CUT_OFF = '…';

/** Parses a line. `undefined` when it is not a JSON-RPC message. */
function parseMessage(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined;
    // A shorter line cannot contain that many brackets.
    const message = text.length > 2 * MAX_DEPTH ? withinDepth(value, MAX_DEPTH) : value;
    return isObject(message) ? message : undefined;
  } catch {
    // A log line that starts with a brace.
    return undefined;
  }
}

/**
 * A request, or a response with a valid id. The SDK would print other messages on stderr or send them back.
 */
function isSdkMessage(message: unknown): message is AnyMessage {
  if (!isObject(message)) return false;
  const { id } = message;
  if (typeof id !== 'string' && (typeof id !== 'number' || !Number.isFinite(id)))
    return typeof message['method'] === 'string' && !('id' in message);
  return typeof message['method'] === 'string' || 'result' in message || 'error' in message;
}

/** The value itself when it is not too deep. The recursion stops at the limit. */
function withinDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return CUT_OFF;
  if (Array.isArray(value)) {
    const items = value.map((item) => withinDepth(item, levels - 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const kept = entries.map(([key, member]): [string, unknown] => [key, withinDepth(member, levels - 1)]);
  return kept.some(([, member], index) => member !== entries[index]?.[1]) ? Object.fromEntries(kept) : value;
}

/** Splits a byte stream at line feeds. Holds at most `maxBytes` of an unfinished line. */
class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. Throws `AgentError` when a line grows too long. */
  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#take();
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The bytes after the last line feed. */
  rest(): Buffer | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      this.#parts = [];
      throw new AgentError(
        'agentError',
        `the agent sent a line of more than ${this.#maxBytes} bytes, the limit for a message`,
      );
    }
    this.#parts.push(part);
  }

  #take(): Buffer {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}

/** Longest accepted line of an agent, in bytes: a tool's result with a large image fits. */
export const DEFAULT_MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Requests of an agent that may be unanswered at once. */
const MAX_OPEN_REQUESTS = 1024;

/** Bytes that may be queued for an agent that does not read. The largest answer is a file of 32 MiB. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Time to read the remaining output of an agent whose input pipe broke. Milliseconds. */
const LAST_WORDS_MS = 500;

/** The agent's pipes, and receivers of messages besides the SDK. */
export interface MessageStreamOptions {
  readonly stdout: Readable;
  readonly stdin: Writable;
  readonly timers: AcpTimers;
  readonly maxLineBytes: number;
  /**
   * Called with each notification and the bytes of its line before the SDK. If the callback takes the notification,
   * the next line is read after its promise settles. This is the backpressure on the agent, and it keeps
   * updates in order.
   */
  takeNotification(method: string, params: unknown, bytes: number): Promise<void> | undefined;
  /**
   * Called with a line that is not a JSON-RPC message (agents print warnings to stdout), an unexpected
   * response, or a request whose id is in use.
   */
  onNoise(line: string): void;
  /** Called when a notification could not be applied. Later ones are still read. */
  onFault(method: string, error: unknown): void;
}

/** An open stream. */
export interface MessageStream {
  /** For the SDK: requests and responses. */
  readonly sdk: Stream;
  /**
   * Resolves when one of the agent's pipes has ended. Rejects with `AgentError` when the agent broke the
   * framing or a limit.
   */
  readonly ended: Promise<void>;
}

/**
 * Newline-delimited JSON over an agent's pipes. The SDK's own stream does not suit real agents: it reads
 * ahead without limit, answers stray text, validates updates against a closed schema, lets responses overtake
 * notifications, and prints unexpected messages on stderr.
 */
export function openMessageStream(options: MessageStreamOptions): MessageStream {
  const { stdout, stdin } = options;
  /** Ids of unanswered requests: those of the host and those of the agent. */
  const asked = new Set<unknown>();
  const open = new Set<unknown>();
  const broken = Promise.withResolvers<void>();
  let forward: ReadableStreamDefaultController<AnyMessage> | undefined;
  let isOver = false;
  let stopWaiting = (): void => {};

  /**
   * Ends the stream for the SDK. A broken pipe counts as an exit of the agent; its process reports the
   * reason.
   */
  function end(error?: unknown): void {
    if (isOver) return;
    isOver = true;
    stopWaiting();
    stdout.destroy();
    if (error instanceof AgentError) {
      forward?.error(error);
      broken.reject(error);
    } else {
      forward?.close();
      broken.resolve();
    }
  }

  async function notified(message: JsonObject, method: string, bytes: number): Promise<boolean> {
    try {
      const taken = options.takeNotification(method, message['params'], bytes);
      await taken;
      return taken !== undefined;
    } catch (error) {
      options.onFault(method, error);
      return true;
    }
  }

  /**
   * Tracks open requests. False for an unexpected or repeated response, and for a request whose id is in use.
   */
  function isExpected({ id, method }: JsonObject): boolean {
    if (method === undefined) return asked.delete(id);
    if (id === undefined) return true;
    if (open.has(id)) return false;
    open.add(id);
    if (open.size > MAX_OPEN_REQUESTS)
      throw new AgentError('agentError', `the agent has more than ${MAX_OPEN_REQUESTS} unanswered requests`);
    return true;
  }

  async function deliver(line: Buffer): Promise<void> {
    const text = line.toString('utf8').trim();
    if (text === '') return;
    const message = parseMessage(text);
    if (message === undefined) return options.onNoise(text);
    const { method } = message;
    if (typeof method === 'string' && !('id' in message) && (await notified(message, method, line.length)))
      return;
    if (isOver) return;
    if (!isSdkMessage(message) || !isExpected(message)) return options.onNoise(text);
    forward?.enqueue(message);
    // The SDK dispatches in microtasks. After this, receivers have seen the message and the next line may be
    // read.
    await nextTurn();
  }

  async function pump(): Promise<void> {
    const lines = new LineSplitter(options.maxLineBytes);
    for await (const chunk of stdout) {
      if (isOver) return;
      for (const line of lines.push(Buffer.from(chunk))) {
        await deliver(line);
        if (isOver) return;
      }
    }
    const rest = lines.rest();
    if (rest !== undefined) await deliver(rest);
  }

  function write(message: AnyMessage): void {
    const { id, method }: JsonObject = { ...message };
    if (method === undefined) open.delete(id);
    else if (id !== undefined) asked.add(id);
    if (stdin.writableLength > MAX_UNREAD_BYTES) {
      end(
        new AgentError(
          'agentUnresponsive',
          `the agent does not read its input: more than ${MAX_UNREAD_BYTES} bytes are queued`,
        ),
      );
      return;
    }
    stdin.write(`${JSON.stringify(message)}\n`, (error) => {
      if (!error || isOver) return;
      stopWaiting();
      stopWaiting = options.timers.after(LAST_WORDS_MS, end);
    });
  }

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      forward = controller;
    },
    cancel() {
      isOver = true;
      stopWaiting();
      stdout.destroy();
      broken.resolve();
    },
  });
  pump().then(() => end(), end);
  // The pipe itself counts its queued bytes.
  return { sdk: { readable, writable: new WritableStream({ write }) }, ended: broken.promise };
}
