import { createHash } from 'node:crypto';
import {
  type ChatState,
  isApart,
  type Message,
  type MessageAttachment,
  type MessageEmbeddedResourceAttachment,
} from '@agenthost/protocol';
import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { CONTENT_SCHEME, contentIdOf } from './content-store.ts';

/**
 * Prefix used in place of a turn id for contents of waiting messages. Each content is removed on its own or
 * with its chat.
 */
const WAITING = 'waiting:';

/** The chat that a message belongs to, and its session. */
interface Place {
  readonly session: string;
  readonly chat: string;
}

/**
 * Stores large attachments of messages outside of state. A message refers to a stored content, which is
 * removed with the message. Waiting messages (drafts, steering and queued messages) own their contents. When
 * a message starts a turn, its contents are copied for that turn.
 */
export class AttachmentStore {
  readonly #ids: Ids;
  /** Contents of waiting messages that may have no reference at the end of this tick, by chat. */
  readonly #left = new Map<Channel<'chat'>, Set<string>>();

  constructor(sync: Sync, ids: Ids) {
    this.#ids = ids;
    sync.observe('chat', (tx, { channel, before, after }) => this.#note(channel, before, after));
    sync.path.onSeal((tx) => this.#dropLeft(tx));
  }

  /**
   * Stores the attachments of a waiting message. `known`: contents that waiting messages of the chat already
   * refer to.
   */
  storeWaiting(tx: Tx, place: Place, message: Message, known: ReadonlySet<string> = new Set()): Message {
    const idFor = (what: string | Buffer): string =>
      createHash('sha256').update(`${place.chat}\0`).update(what).digest('hex').slice(0, 40);
    return withAttachments(message, (attachment) => {
      if (isLarge(attachment)) {
        const data = Buffer.from(attachment.data, 'base64');
        const id = idFor(data);
        // Clients send the draft repeatedly while the user types.
        if (!known.has(id))
          tx.write(contentRow({ ...place, turnId: WAITING + id }, id, data, attachment.contentType));
        return reference(attachment, id, data.byteLength);
      }
      const from = contentOf(attachment);
      if (attachment.type !== 'resource' || from === undefined || known.has(from)) return attachment;
      const id = idFor(from);
      if (!known.has(id)) this.#copy(tx, from, id, { ...place, turnId: WAITING + id });
      return { ...attachment, uri: uriOf(id) };
    });
  }

  /**
   * Stores the attachments of a message that starts a turn now, or that an agent has accepted as steering.
   */
  storeForTurn(tx: Tx, place: Place, message: Message, turnId: string): Message {
    return withAttachments(message, (attachment) => {
      if (isLarge(attachment)) return this.#moved(tx, { ...place, turnId }, attachment);
      const from = contentOf(attachment);
      if (attachment.type !== 'resource' || from === undefined) return attachment;
      const id = this.#ids.next();
      this.#copy(tx, from, id, { ...place, turnId });
      return { ...attachment, uri: uriOf(id) };
    });
  }

  /** Stores the embedded attachments of a message whose references already belong to the turn. */
  storeEmbedded(tx: Tx, place: Place, message: Message, turnId: string): Message {
    return withAttachments(message, (attachment) =>
      isLarge(attachment) ? this.#moved(tx, { ...place, turnId }, attachment) : attachment,
    );
  }

  #moved(
    tx: Tx,
    owner: Place & { turnId: string },
    attachment: MessageEmbeddedResourceAttachment,
  ): MessageAttachment {
    const id = this.#ids.next();
    const data = Buffer.from(attachment.data, 'base64');
    tx.write(contentRow(owner, id, data, attachment.contentType));
    return reference(attachment, id, data.byteLength);
  }

  #copy(tx: Tx, from: string, id: string, owner: Place & { turnId: string }): void {
    tx.write({ op: 'copyContent', ...owner, from, id });
  }

  #note(chat: Channel<'chat'>, before: ChatState, after: ChatState): void {
    const isSame =
      before.draft === after.draft &&
      before.steeringMessage === after.steeringMessage &&
      before.queuedMessages === after.queuedMessages;
    if (isSame) return;
    const left = this.#left.get(chat) ?? new Set();
    for (const id of waitingContents(before)) left.add(id);
    if (left.size > 0) this.#left.set(chat, left);
  }

  /** Runs at the end of a tick, because a message can move from one place to another within the tick. */
  #dropLeft(tx: Tx): void {
    for (const [chat, left] of this.#left) {
      if (!chat.isAlive) continue;
      const held = waitingContents(chat.outline);
      for (const id of left) {
        if (held.has(id)) continue;
        tx.write({ op: 'dropContents', chat: chat.uri, turnId: WAITING + id });
      }
    }
    this.#left.clear();
  }
}

const contentRow = (owner: Place & { turnId: string }, id: string, data: Buffer, contentType: string) =>
  ({ op: 'content', ...owner, id, contentType, data }) as const;

/** Ids of the contents that the waiting messages of a chat refer to. */
export function waitingContents({
  draft,
  steeringMessage,
  queuedMessages = [],
}: Pick<ChatState, 'draft' | 'steeringMessage' | 'queuedMessages'>): Set<string> {
  const messages = [draft, steeringMessage?.message, ...queuedMessages.map(({ message }) => message)];
  const attachments = messages.flatMap((message) => message?.attachments ?? []);
  return new Set(attachments.flatMap((attachment) => contentOf(attachment) ?? []));
}

const isLarge = (attachment: MessageAttachment): attachment is MessageEmbeddedResourceAttachment =>
  attachment.type === 'embeddedResource' && isApart(attachment);

const contentOf = (attachment: MessageAttachment): string | undefined =>
  attachment.type === 'resource' ? contentIdOf(attachment.uri) : undefined;

const uriOf = (id: string): string => `${CONTENT_SCHEME}:/${id}`;

function reference(
  { data: _, type: __, ...rest }: MessageEmbeddedResourceAttachment,
  id: string,
  sizeHint: number,
): MessageAttachment {
  return { ...rest, type: 'resource', uri: uriOf(id), sizeHint };
}

function withAttachments(
  message: Message,
  change: (attachment: MessageAttachment) => MessageAttachment,
): Message {
  const { attachments } = message;
  if (attachments === undefined) return message;
  const changed = attachments.map(change);
  return changed.every((each, index) => each === attachments[index])
    ? message
    : { ...message, attachments: changed };
}
