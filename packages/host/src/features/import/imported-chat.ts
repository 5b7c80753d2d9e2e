import {
  ACTIVITY_MASK,
  type ChatState,
  type ContentEncoding,
  type ContentPiece,
  type ExportedAttachments,
  type ExportedChatHead,
  fitTexts,
  type ImportTurnsParams,
  invalidParams,
  type Message,
  SessionStatus,
  type Turn,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { writeEndedTerminal } from '../../terminals/history/ended-terminals.ts';
import type { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import { CONTENT_SCHEME } from '../../turns/contents/content-store.ts';
import {
  endedTerminal,
  endOpenTurn,
  findOpenCall,
  notResumable,
  terminalBlocks,
  withResults,
} from './ended-turn.ts';
import type { UnfinishedContent } from './unfinished-content.ts';

/** Fields of messages, turns and chats that contain URIs of channels and contents. */
const URI_FIELDS: ReadonlySet<string> = new Set(['uri', 'resource', 'chat']);

/** Fields with data of others, which the host does not interpret. */
const FOREIGN_FIELDS: ReadonlySet<string> = new Set(['_meta', 'structuredContent', 'config']);

/** A value with renamed URIs. Unchanged parts stay the same object. */
function withNewNames<T>(value: T, newNameOf: (uri: string) => string | undefined): T;
function withNewNames(value: unknown, newNameOf: (uri: string) => string | undefined): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withNewNames(item, newNameOf));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const changed: [string, unknown][] = [];
  for (const [key, field] of Object.entries(value)) {
    if (FOREIGN_FIELDS.has(key)) continue;
    const renamed =
      typeof field === 'string' && URI_FIELDS.has(key)
        ? (newNameOf(field) ?? field)
        : withNewNames(field, newNameOf);
    if (renamed !== field) changed.push([key, renamed]);
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

/**
 * A chat that is being imported. Its turns are rows of the journal; it becomes a channel at the end of the
 * import.
 */
export class ImportedChatRows {
  readonly uri: string;
  readonly #session: string;
  readonly #head: ExportedChatHead;
  readonly #newNameOf: (uri: string) => string | undefined;
  readonly #sync: Sync;
  readonly #ids: Ids;
  readonly #turnIds = new Set<string>();
  /** New URIs of contents that arrived in pieces, by turn and old URI. */
  readonly #stored = new Map<string, string>();
  readonly #unfinished: UnfinishedContent;
  readonly #attachments: AttachmentStore;
  #hasOpenTurn = false;

  constructor(parts: {
    uri: string;
    session: string;
    head: ExportedChatHead;
    newNameOf: (uri: string) => string | undefined;
    sync: Sync;
    ids: Ids;
    /** The unfinished content of the whole import. */
    unfinished: UnfinishedContent;
    attachments: AttachmentStore;
  }) {
    this.uri = parts.uri;
    this.#session = parts.session;
    this.#head = parts.head;
    this.#newNameOf = parts.newNameOf;
    this.#sync = parts.sync;
    this.#ids = parts.ids;
    this.#unfinished = parts.unfinished;
    this.#attachments = parts.attachments;
  }

  /** Number of turns so far. */
  get turnCount(): number {
    return this.#turnIds.size;
  }

  get source(): string {
    return this.#head.resource;
  }

  /** The chat's own working directories, as exported. */
  get workingDirectories(): string[] | undefined {
    return this.#head.workingDirectories;
  }

  /** Whether users can write to the chat. */
  get isFull(): boolean {
    return (this.#head.interactivity ?? 'full') === 'full';
  }

  /** Adds turns and pieces after the earlier ones. Throws `-32602` for invalid ones. */
  add(tx: Tx, { turns = [], openTurn, pieces = [] }: Omit<ImportTurnsParams, 'channel' | 'chat'>): void {
    for (const piece of pieces) this.#addPiece(tx, piece);
    for (const { turn, ...attachments } of turns) this.#addTurn(tx, turn, attachments);
    if (openTurn === undefined) return;
    const { turn, ...attachments } = openTurn;
    const ended = endOpenTurn(turn, this.#sync.stamp());
    if (ended !== undefined) this.#addTurn(tx, ended, attachments);
    this.#hasOpenTurn = true;
    tx.undo(() => {
      this.#hasOpenTurn = false;
    });
  }

  /** Its state at the end of the import, without turns. Throws `-32602` if a piece is missing. */
  finished(workingDirectories: string[] | undefined): ChatState {
    if (this.#unfinished.isBegun)
      throw invalidParams(`The last piece of a content is missing in ${this.uri}`);
    const {
      inputRequests: _,
      workingDirectories: __,
      activity: ___,
      ...head
    } = withNewNames(this.#head, this.#newNameOf);
    const { draft: ____, steeringMessage: _____, queuedMessages: ______, ...rest } = head;
    // Users cannot write to a worker chat [CHAT-2].
    const draft = this.isFull ? importedDraft(head) : undefined;
    const hasFailed = this.#hasOpenTurn || (head.status & ACTIVITY_MASK) === SessionStatus.Error;
    return {
      ...rest,
      resource: this.uri,
      status: (head.status & ~ACTIVITY_MASK) | (hasFailed ? SessionStatus.Error : SessionStatus.Idle),
      ...defined({ workingDirectories, draft }),
      turns: [],
    };
  }

  #addTurn(tx: Tx, turn: Turn, { contents = [], terminals = [] }: ExportedAttachments): void {
    const { id } = turn;
    const where = `${this.#head.resource}, turn ${id}`;
    if (this.#hasOpenTurn) throw invalidParams(`${where}: the open turn of a chat must be its last`);
    if (this.#turnIds.has(id)) throw invalidParams(`${where}: two turns have this id`);
    const fault = findOpenCall(turn);
    if (fault !== undefined) throw invalidParams(`${where}: the turn has ended, but ${fault}`);
    const names = new Map<string, string>();
    for (const { uri, contentType, encoding, data } of contents) {
      if (data === undefined) continue;
      names.set(uri, this.#store(tx, id, contentType, bytesOf(data, encoding)));
    }
    for (const block of terminalBlocks(turn)) {
      if (names.has(block.resource)) continue;
      const uri = `ahp-terminal:/${this.#ids.next()}`;
      const exported = terminals.find(({ resource }) => resource === block.resource);
      const use = { session: this.#session, chat: this.uri, turnId: id };
      writeEndedTerminal(tx, uri, endedTerminal(block, exported), use);
      names.set(block.resource, uri);
    }
    const imported = withNewNames(
      withResults(notResumable(turn), terminals),
      (uri) => names.get(uri) ?? this.#stored.get(keyOf(id, uri)) ?? this.#newNameOf(uri),
    );
    const ordinal = this.#turnIds.size;
    const place = { session: this.#session, chat: this.uri };
    const message = this.#attachments.storeEmbedded(tx, place, imported.message, id);
    // Another host may have had other limits.
    const fitted: Turn = fitTexts({ ...imported, message }, 'turns');
    tx.write({ op: 'turn', chat: this.uri, ordinal, id, json: JSON.stringify(fitted) });
    this.#turnIds.add(id);
    tx.undo(() => this.#turnIds.delete(id));
  }

  #addPiece(tx: Tx, { turnId, uri, contentType, encoding, data: text, isMore = false }: ContentPiece): void {
    const key = keyOf(turnId, uri);
    const data = this.#unfinished.add(`${this.uri} ${key}`, bytesOf(text, encoding), isMore, (back) =>
      tx.undo(back),
    );
    if (data === undefined) return;
    tx.undo(() => this.#stored.delete(key));
    this.#stored.set(key, this.#store(tx, turnId, contentType, data));
  }

  #store(tx: Tx, turnId: string, contentType = 'application/octet-stream', data: Buffer): string {
    const id = this.#ids.next();
    tx.write({
      op: 'content',
      session: this.#session,
      chat: this.uri,
      turnId,
      id,
      contentType,
      data,
    });
    return `${CONTENT_SCHEME}:/${id}`;
  }
}

const keyOf = (turnId: string, uri: string): string => `${uri} ${turnId}`;

const bytesOf = (data: string, encoding: ContentEncoding = 'utf-8'): Buffer =>
  Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8');

/**
 * The draft of an exported chat and, below it, its pending messages, as one draft of a user. A file must not
 * start a turn, and pending messages would start by themselves; one that begins with `!` would run a command.
 */
function importedDraft({
  draft,
  steeringMessage,
  queuedMessages = [],
}: Pick<ExportedChatHead, 'draft' | 'steeringMessage' | 'queuedMessages'>): Message | undefined {
  const waiting = steeringMessage === undefined ? queuedMessages : [steeringMessage, ...queuedMessages];
  const messages = [...(draft === undefined ? [] : [draft]), ...waiting.map(({ message }) => message)];
  if (messages.length === 0) return undefined;
  // Ranges of attachments refer to the separate messages and are wrong in the joined one.
  const attachments = messages
    .flatMap((message) => message.attachments ?? [])
    .map((attachment) => {
      const { range: _, ...rest } = attachment;
      return messages.length === 1 ? attachment : rest;
    });
  return {
    text: messages
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    origin: { kind: 'user' },
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}
