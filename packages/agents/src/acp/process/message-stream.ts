import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { AgentError } from '@agenthost/host/agent';
import type { JsonObject } from '../json.ts';
import type { AcpTimers } from '../runtime.ts';
import { LineSplitter } from './line-splitter.ts';
import { isSdkMessage, parseMessage } from './message-check.ts';

/** The longest line taken from an agent, in bytes: a tool's result with a large image fits, a runaway one does not. */
export const DEFAULT_MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Requests of an agent that may wait for their answers at once. */
const MAX_OPEN_REQUESTS = 1024;

/** What may wait for an agent that does not read, in bytes. The largest single answer is a file of 32 MiB. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** An agent whose input has broken may still say something on its way out. */
const LAST_WORDS_MS = 500;

/** The agent's pipes, and who gets what comes over them besides the SDK. */
export interface MessageStreamOptions {
  readonly stdout: Readable;
  readonly stdin: Writable;
  readonly timers: AcpTimers;
  readonly maxLineBytes: number;
  /**
   * Sees each notification, and how many bytes its line had, before the SDK does. When it takes one, the next line is read after its
   * promise: this is how a slow host holds an agent back, and why updates are applied in the order sent.
   */
  takeNotification(method: string, params: unknown, bytes: number): Promise<void> | undefined;
  /** A line that is no JSON-RPC message (agents print warnings to stdout), answers nothing that was asked, or asks under an id in use. */
  onNoise(line: string): void;
  /** A notification could not be applied; the next ones are. */
  onFault(method: string, error: unknown): void;
}

/** Both ends of an open stream: what the SDK reads and writes, and its end. */
export interface MessageStream {
  /** For the SDK: requests and responses. */
  readonly sdk: Stream;
  /** Resolves when one of the agent's pipes has ended; rejects with `AgentError` when it broke the framing or a limit. */
  readonly ended: Promise<void>;
}

/**
 * Newline-delimited JSON over an agent's pipes. The SDK's own stream reads ahead without bound, answers stray text, checks each update
 * against a closed schema and lets responses overtake notifications, none of which real agents allow for; and it writes on the host's
 * stderr what is no answer to anything.
 */
export function openMessageStream(options: MessageStreamOptions): MessageStream {
  const { stdout, stdin } = options;
  /** Ids of our requests, and of the agent's, that have no answer yet. */
  const asked = new Set<unknown>();
  const open = new Set<unknown>();
  const broken = Promise.withResolvers<void>();
  let forward: ReadableStreamDefaultController<AnyMessage> | undefined;
  let isOver = false;
  let stopWaiting = (): void => {};

  /** Lets the SDK know that nothing more comes. A pipe that breaks is the end of the agent; what went wrong with it says its process. */
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

  /** Keeps books of what is open. False for an answer that nobody waits for, a second one among them, and for an id that cannot be told apart. */
  function isExpected({ id, method }: JsonObject): boolean {
    if (method === undefined) return asked.delete(id);
    if (id === undefined) return true;
    if (open.has(id)) return false;
    open.add(id);
    if (open.size > MAX_OPEN_REQUESTS)
      throw new AgentError(
        'agentError',
        `the agent has asked for more than ${MAX_OPEN_REQUESTS} things without waiting for an answer`,
      );
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
    // The SDK dispatches in microtasks: after this, whoever waited for the message has seen it, and the next line may be read.
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
          `the agent does not read: more than ${MAX_UNREAD_BYTES} bytes wait for it`,
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
  // Nothing waits for the pipe here: the pipe itself counts what is in it.
  return { sdk: { readable, writable: new WritableStream({ write }) }, ended: broken.promise };
}
