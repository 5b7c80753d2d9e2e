import { isUtf8 } from 'node:buffer';
import { ROOT_URI } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { ConnectionClosed, RequestTimeout } from '@agenthost/rpc';
import { contentTypeOf } from '../../workspace/content-types.ts';
import { isObject, type Json } from '../json.ts';
import type { AskClient } from '../ways.ts';

/** Actions whose message goes to an agent. A client grants reading of its attachments before it sends one. */
const SENDING: ReadonlySet<unknown> = new Set(['chat/turnStarted', 'chat/pendingMessageSet']);

/** Largest size of all files that are read for a message, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Longest time that reading takes for a message. Later actions of the client wait for it. */
const PATIENCE_MS = 8_000;

/** How files are read from a client. */
export interface ClientFilesPort {
  /** Whether a URI names a file that only the client has. */
  isOfTheClient(uri: string): boolean;
  readonly ask: AskClient;
  /** Milliseconds of a clock that is never set. */
  now(): number;
  /** Called for each file that cannot be read. */
  onUnread(uri: string, reason: string): void;
}

type AskInTime = (method: 'resourceResolve' | 'resourceRead', params: object) => Promise<unknown>;

type ClientFile = Json & { readonly uri: string };

type IsOfTheClient = (attachment: unknown) => attachment is ClientFile;

/**
 * Puts the content of attached files that only the client can read into the message of `dispatchAction`, so that the agent gets it also
 * after the client has left. A file that cannot be read stays a reference: the agent gets its name. Returns the params themselves if there
 * is no such file.
 */
export function withClientFiles(
  params: Json,
  { isOfTheClient: isOfClient, ask, now, onUnread }: ClientFilesPort,
): Json | Promise<Json> {
  const { action } = params;
  if (!isObject(action) || !SENDING.has(action['type'])) return params;
  const { message } = action;
  if (!isObject(message) || !Array.isArray(message['attachments'])) return params;
  const attachments: readonly unknown[] = message['attachments'];
  const isOfTheClient: IsOfTheClient = (attachment): attachment is ClientFile =>
    isObject(attachment) &&
    attachment['type'] === 'resource' &&
    typeof attachment['uri'] === 'string' &&
    isOfClient(attachment['uri']);
  if (!attachments.some(isOfTheClient)) return params;
  const endMs = now() + PATIENCE_MS;
  const askInTime: AskInTime = (method, asked) => ask(method, asked, Math.max(1, endMs - now()));
  return readAll(attachments, { isOfTheClient, ask: askInTime, onUnread }).then((read) => ({
    ...params,
    action: { ...action, message: { ...message, attachments: read } },
  }));
}

async function readAll(
  attachments: readonly unknown[],
  {
    isOfTheClient,
    ask,
    onUnread,
  }: { isOfTheClient: IsOfTheClient; ask: AskInTime; onUnread(uri: string, reason: string): void },
): Promise<readonly unknown[]> {
  const read: unknown[] = [];
  let left = MAX_BYTES;
  let isSilent = false;
  for (const attachment of attachments) {
    if (isSilent || !isOfTheClient(attachment)) {
      read.push(attachment);
      continue;
    }
    try {
      const bytes = await readFile(attachment.uri, ask, left);
      left -= bytes.byteLength;
      read.push(embedded(attachment, bytes));
    } catch (error) {
      isSilent = error instanceof RequestTimeout || error instanceof ConnectionClosed;
      onUnread(attachment.uri, errorText(error));
      read.push(attachment);
    }
  }
  return read;
}

/** Asks for the size first: an answer that is larger than a frame may be would close the connection. */
async function readFile(uri: string, ask: AskInTime, mostBytes: number): Promise<Buffer> {
  const found = await ask('resourceResolve', { channel: ROOT_URI, uri });
  if (!isObject(found) || found['type'] !== 'file') throw new Error('It is not a file');
  const { size } = found;
  if (typeof size !== 'number') throw new Error('Its size is unknown');
  if (size > mostBytes) throw new Error(`It has ${size} bytes, and ${mostBytes} are left for the message`);
  const answer = await ask('resourceRead', { channel: ROOT_URI, uri, encoding: 'base64' });
  if (!isObject(answer) || typeof answer['data'] !== 'string') throw new Error('The answer has no data');
  const bytes = Buffer.from(answer['data'], answer['encoding'] === 'base64' ? 'base64' : 'utf8');
  if (bytes.byteLength > mostBytes) throw new Error(`It has grown to ${bytes.byteLength} bytes`);
  return bytes;
}

function embedded({ uri, sizeHint: _, nonce: __, ...attachment }: ClientFile, bytes: Buffer): Json {
  const path = uri.replace(/[?#].*/u, '');
  return {
    contentType: contentTypeOf(path, isUtf8(bytes)),
    ...attachment,
    type: 'embeddedResource',
    data: bytes.toString('base64'),
  };
}
