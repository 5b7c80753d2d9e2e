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

/** Stands in place of a turn's id with the contents of messages that wait: each goes by itself, or with its chat. */
const WAITING = 'waiting:';

/** Where a message stands. */
interface Place {
  readonly session: string;
  readonly chat: string;
}

/**
 * Keeps large attachments of messages outside of state: messages carry references, and the contents go with what refers to them.
 * A message that waits (a draft, a steering or queued message) has contents of its own, and so has the message of each turn: they are copied
 * when it starts.
 */
export class AttachmentStore {
  readonly #ids: Ids;
  /** Contents of waiting messages that may be nobody's at the end of this tick, by chat. */
  readonly #left = new Map<Channel<'chat'>, Set<string>>();

  constructor(sync: Sync, ids: Ids) {
    this.#ids = ids;
    sync.observe('chat', (tx, { channel, before, after }) => this.#note(channel, before, after));
    sync.path.onSeal((tx) => this.#dropLeft(tx));
  }

  /** A message as it waits in a chat. `known`: contents that waiting messages of the chat refer to already. */
  storeWaiting(tx: Tx, place: Place, message: Message, known: ReadonlySet<string> = new Set()): Message {
    const idFor = (what: string | Buffer): string =>
      createHash('sha256').update(`${place.chat}\0`).update(what).digest('hex').slice(0, 40);
    return withAttachments(message, (attachment) => {
      if (isLarge(attachment)) {
        const data = Buffer.from(attachment.data, 'base64');
        const id = idFor(data);
        // Drafts are sent again and again while people type.
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

  /** A message as it stands in a turn that starts now, or that it steers. */
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

  /** The same for a message whose references have the turn as their owner already. */
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

  /** At the end of a tick, since a message may go from one place to another in it. */
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
