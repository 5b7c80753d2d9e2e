import {
  type ActiveTurn,
  type ChannelKind,
  type ChatState,
  type ChatSummary,
  type ClientToHostRequests,
  ErrorCodes,
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportedAttachments,
  type ExportedChatHead,
  type ExportedContent,
  type ExportedOpenTurn,
  type ExportedSession,
  type ExportedTerminal,
  type ExportedTurn,
  type ExportHead,
  type Message,
  type ResourceReadResult,
  type SessionState,
  type SessionSummary,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RpcError } from '@agenthost/rpc';
import type { HostInfo } from '../connection/handshake.ts';
import { ChannelLost } from '../errors.ts';
import { contentText } from '../handles/terminal-content.ts';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { isKeptByHost, withEmbeddedContents } from './embedded-contents.ts';

/** Turns per request. */
const PAGE_TURNS = 200;

/** What an export needs of the client. */
export interface ExportPort {
  readonly host: HostInfo | undefined;
  request<M extends 'fetchTurns' | 'resourceRead'>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  subscribe<K extends ChannelKind>(
    uri: URI,
    options: SubscriptionOptions & { readonly kind: K },
  ): Promise<Mirror<K>>;
}

/**
 * A piece of an exported session. The session comes first, then each chat followed by its turns, oldest
 * first, the open one last.
 */
export type ExportPart =
  | { readonly type: 'session'; readonly head: ExportHead }
  | { readonly type: 'chat'; readonly chat: ExportedChatHead }
  | { readonly type: 'turn'; readonly turn: ExportedTurn }
  | { readonly type: 'openTurn'; readonly turn: ExportedOpenTurn };

/** See `Sessions.export`. */
export async function* exportSession(
  port: ExportPort,
  session: URI | SessionSummary,
): AsyncGenerator<ExportPart, void, undefined> {
  const uri = typeof session === 'string' ? session : session.resource;
  const state = await peek(port, uri, { kind: 'session' });
  const summary = typeof session === 'string' ? undefined : session;
  const { name = 'unknown', version } = port.host?.serverInfo ?? {};
  yield {
    type: 'session',
    head: {
      format: EXPORT_FORMAT,
      version: EXPORT_VERSION,
      exportedAt: new Date().toISOString(),
      host: version === undefined ? name : `${name} ${version}`,
      session: exportedSession(uri, state, summary),
    },
  };
  for (const entry of state.chats) yield* exportChat(port, entry);
}

async function* exportChat(
  port: ExportPort,
  entry: ChatSummary,
): AsyncGenerator<ExportPart, void, undefined> {
  const state = await peek(port, entry.resource, { kind: 'chat', turns: PAGE_TURNS });
  yield { type: 'chat', chat: await withEmbedded(port, exportedChat(entry, state)) };
  const [oldest] = state.turns;
  if (state.turnsNextCursor !== undefined && oldest !== undefined) {
    for await (const page of olderTurns(port, entry.resource, oldest.id)) {
      for (const turn of page) yield { type: 'turn', turn: { turn, ...(await attachmentsOf(port, turn)) } };
    }
  }
  for (const turn of state.turns)
    yield { type: 'turn', turn: { turn, ...(await attachmentsOf(port, turn)) } };
  const { activeTurn } = state;
  if (activeTurn === undefined) return;
  yield { type: 'openTurn', turn: { turn: activeTurn, ...(await attachmentsOf(port, activeTurn)) } };
}

/**
 * Pages of turns before `newest`, the oldest page first. Hosts page from newest to oldest: the first pass
 * finds the cursors, the second reads the pages again, so that only one page is in memory.
 */
async function* olderTurns(
  port: ExportPort,
  channel: URI,
  newest: string,
): AsyncGenerator<readonly Turn[], void, undefined> {
  const page = async (before: string) => {
    try {
      return await port.request('fetchTurns', { channel, before, limit: PAGE_TURNS });
    } catch (cause) {
      if (!(cause instanceof RpcError) || cause.code !== ErrorCodes.InvalidParams) throw cause;
      // The turn existed a moment ago. The chat was truncated, so a consistent export is no longer possible.
      const message = `The chat ${channel} was truncated during the export. Export it again.`;
      throw new Error(message, { cause });
    }
  };
  const borders: string[] = [];
  let before = newest;
  for (;;) {
    const { turns = [], hasMore = false } = await page(before);
    const [oldest] = turns;
    if (oldest !== undefined && hasMore) {
      borders.push(before);
      before = oldest.id;
      continue;
    }
    yield turns;
    break;
  }
  for (const border of borders.toReversed()) yield (await page(border)).turns ?? [];
}

/** The content behind the URIs in a turn, as far as it still exists. */
async function attachmentsOf(port: ExportPort, turn: Turn | ActiveTurn): Promise<ExportedAttachments> {
  const contents: ExportedContent[] = [];
  for (const uri of contentUrisIn(turn)) contents.push(await readContent(port, uri));
  const terminals: ExportedTerminal[] = [];
  for (const uri of terminalsIn(turn)) {
    const terminal = await readTerminal(port, uri);
    if (terminal !== undefined) terminals.push(terminal);
  }
  return {
    ...(contents.length === 0 ? {} : { contents }),
    ...(terminals.length === 0 ? {} : { terminals }),
  };
}

function contentUrisIn(value: unknown, found = new Set<URI>()): Set<URI> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, field] of Object.entries(value)) {
    if (key === '_meta' || key === 'structuredContent') continue;
    if (key === 'uri' && typeof field === 'string' && isKeptByHost(field)) found.add(field);
    else contentUrisIn(field, found);
  }
  return found;
}

function terminalsIn({ responseParts }: Turn | ActiveTurn): Set<URI> {
  const found = new Set<URI>();
  for (const part of responseParts) {
    if (part.kind !== 'toolCall' || !('content' in part.toolCall)) continue;
    for (const block of part.toolCall.content ?? []) if (block.type === 'terminal') found.add(block.resource);
  }
  return found;
}

async function readContent(port: ExportPort, uri: URI): Promise<ExportedContent> {
  const result = await unlessRefused(port.request('resourceRead', { channel: 'ahp-root://', uri }));
  if (result === undefined) return { uri };
  const { contentType, encoding, data } = result;
  return { uri, ...defined({ contentType }), encoding, data };
}

async function readTerminal(port: ExportPort, uri: URI): Promise<ExportedTerminal | undefined> {
  const state = await unlessRefused(peek(port, uri, { kind: 'terminal' }));
  if (state === undefined) return undefined;
  const { title, lifecycle, content } = state;
  return {
    resource: uri,
    title,
    ...(lifecycle.status === 'exited' ? defined({ exitCode: lifecycle.exitCode }) : {}),
    text: contentText(content),
  };
}

/** Content that is gone or not permitted is left out of an export. */
async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError || error instanceof ChannelLost) return undefined;
    throw error;
  }
}

async function peek<K extends ChannelKind>(
  port: ExportPort,
  uri: URI,
  options: SubscriptionOptions & { readonly kind: K },
): Promise<Mirror<K>['confirmed']> {
  const mirror = await port.subscribe(uri, options);
  const { confirmed, isLost } = mirror;
  mirror.dispose();
  // The session was disposed right after the answer, so the state is incomplete.
  if (isLost) throw new ChannelLost(uri);
  return confirmed;
}

function exportedSession(
  resource: URI,
  state: SessionState,
  summary: SessionSummary | undefined,
): ExportedSession {
  const { provider, title, status, lifecycle, creationError, project, workingDirectories } = state;
  const { config, defaultChat } = state;
  // Ports belong to processes of the host.
  const { ports: _, ...meta } = state._meta ?? {};
  const _meta = Object.keys(meta).length === 0 ? undefined : meta;
  return {
    resource,
    provider,
    title,
    status,
    lifecycle,
    ...defined({ creationError }),
    ...(summary === undefined ? {} : { createdAt: summary.createdAt, modifiedAt: summary.modifiedAt }),
    ...defined({ project, workingDirectories }),
    ...(config === undefined ? {} : { config: config.values }),
    ...defined({ defaultChat, _meta }),
  };
}

const readEmbedded = (port: ExportPort, uri: URI): Promise<ResourceReadResult> =>
  port.request('resourceRead', { channel: 'ahp-root://', uri, encoding: 'base64' });

/** The chat with the attachments of waiting messages embedded, because no exported turn carries them. */
async function withEmbedded(port: ExportPort, chat: ExportedChatHead): Promise<ExportedChatHead> {
  const { draft, steeringMessage, queuedMessages } = chat;
  const embed = (message: Message): Promise<Message> =>
    withEmbeddedContents(message, (uri) => unlessRefused(readEmbedded(port, uri)));
  const whole = { ...chat };
  if (draft !== undefined) whole.draft = await embed(draft);
  if (steeringMessage !== undefined)
    whole.steeringMessage = { ...steeringMessage, message: await embed(steeringMessage.message) };
  if (queuedMessages === undefined) return whole;
  whole.queuedMessages = [];
  for (const pending of queuedMessages)
    whole.queuedMessages.push({ ...pending, message: await embed(pending.message) });
  return whole;
}

/** Title, interactivity and folder come from the catalogue [SESS-6]. */
function exportedChat(entry: ChatSummary, state: ChatState): ExportedChatHead {
  const { turns: _, turnsNextCursor: __, activeTurn: ___, ...head } = state;
  const { title, interactivity, workingDirectories } = entry;
  return {
    ...head,
    title,
    ...defined({ interactivity, workingDirectories }),
  };
}
