import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { AgentError } from '@agenthost/host';
import { isObject, type JsonObject } from './json.ts';

/** The longest line taken from an agent, in bytes: a tool's result with a large image fits, a runaway one does not. */
export const defaultMaxLineBytes = 32 * 1024 * 1024;

/** The agent's pipes, and who gets what comes over them besides the SDK. */
export interface MessageStreamOptions {
  readonly stdout: Readable;
  readonly stdin: Writable;
  readonly maxLineBytes: number;
  /**
   * Sees each notification before the SDK does. When it takes one, the next line is read after its promise: this is how a slow host
   * holds an agent back, and why updates are applied in the order sent.
   */
  takeNotification(method: string, params: unknown): Promise<void> | undefined;
  /** A line that is no JSON-RPC message (agents print warnings to stdout). */
  onNoise(line: string): void;
}

/** Both ends of an open stream: what the SDK reads and writes, and its end. */
export interface MessageStream {
  /** For the SDK: requests and responses. */
  readonly sdk: Stream;
  /** Resolves when the agent's output has ended; rejects with `AgentError` when it broke the framing. */
  readonly ended: Promise<void>;
}

/**
 * Newline-delimited JSON over an agent's pipes. The SDK's own stream reads ahead without bound, answers stray text, checks each update
 * against a closed schema and lets responses overtake notifications, none of which real agents allow for.
 */
export function openMessageStream(options: MessageStreamOptions): MessageStream {
  const { stdout, stdin } = options;
  let forward: ReadableStreamDefaultController<AnyMessage> | undefined;
  let isCancelled = false;

  async function deliver(line: Buffer): Promise<void> {
    const text = line.toString('utf8').trim();
    if (text === '') return;
    const message = parseMessage(text);
    if (message === undefined) {
      options.onNoise(text);
      return;
    }
    if (typeof message['method'] === 'string' && !('id' in message)) {
      const taken = options.takeNotification(message['method'], message['params']);
      if (taken !== undefined) {
        await taken;
        return;
      }
    }
    if (isCancelled || !isSdkMessage(message)) return;
    forward?.enqueue(message);
    // The SDK dispatches in microtasks: after this, whoever waited for the message has seen it, and the next line may be read.
    await nextTurn();
  }

  async function pump(): Promise<void> {
    const lines = new LineSplitter(options.maxLineBytes);
    for await (const chunk of stdout) {
      if (isCancelled) return;
      for (const line of lines.push(Buffer.from(chunk))) {
        await deliver(line);
        if (isCancelled) return;
      }
    }
    const rest = lines.rest();
    if (rest !== undefined) await deliver(rest);
  }

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      forward = controller;
    },
    cancel() {
      isCancelled = true;
      stdout.destroy();
    },
  });
  const ended = pump().then(
    () => {
      if (!isCancelled) forward?.close();
    },
    (error: unknown) => {
      if (isCancelled) return;
      // A pipe that breaks is the end of the agent, told by its process; only broken framing is an error of its own.
      if (!(error instanceof AgentError)) return forward?.close();
      forward?.error(error);
      throw error;
    },
  );

  const writable = new WritableStream<AnyMessage>({
    write: (message) =>
      new Promise((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  });
  return { sdk: { readable, writable }, ended };
}

function parseMessage(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value['jsonrpc'] === '2.0' ? value : undefined;
  } catch {
    // A log line that happens to start with a brace.
    return undefined;
  }
}

/** The SDK checks the rest of the shape itself. */
function isSdkMessage(message: unknown): message is AnyMessage {
  return isObject(message) && ('method' in message || 'result' in message || 'error' in message);
}

/** Cuts a byte stream at line feeds, holding at most `maxBytes` of an unfinished line. */
class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#take();
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** What came after the last line feed. */
  rest(): Buffer | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      this.#parts = [];
      throw new AgentError(
        'agentError',
        `the agent sent a line of more than ${this.#maxBytes} bytes, which no message may have`,
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
