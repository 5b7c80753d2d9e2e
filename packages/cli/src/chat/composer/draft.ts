import type { ChatHandle } from '@agenthost/client';
import type { Message, MessageAttachment, StateAction } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, refusalOf } from '../app/environment.ts';
import { type Line, span } from '../text/line.ts';

/** Delay before typed text is shared with other clients. */
const SAVE_DELAY_MS = 300;

/**
 * Keeps the message that is being written the same on all clients [CHAT-14]. The text that is typed here goes first; what others have
 * attached to it stays.
 */
export class DraftSync {
  readonly #env: Environment;
  readonly #chat: ChatHandle;
  /** The draft as it was when it was last looked at. */
  #seen: Message | undefined;
  /** The draft as it is here: its text may be older than what is being typed. */
  #whole: Message | undefined;
  #cancel: (() => void) | undefined;
  #isSupported = true;

  constructor(env: Environment, chat: ChatHandle) {
    this.#env = env;
    this.#chat = chat;
    this.#seen = this.#shared;
    this.#whole = this.#seen;
  }

  get #shared(): Message | undefined {
    return this.#chat.mirror.state.draft;
  }

  /** The draft with all that goes along with its text. */
  get whole(): Message | undefined {
    return this.#whole;
  }

  /** The text that somebody else has made of the draft since the last time; `undefined`: none. */
  foreign(): string | undefined {
    const shared = this.#shared;
    if (sameJson(shared, this.#seen)) return undefined;
    this.#seen = shared;
    this.#whole = shared;
    return this.#cancel === undefined ? (shared?.text ?? '') : undefined;
  }

  /** Something was typed. */
  typed(text: () => string): void {
    this.#cancel?.();
    this.#cancel = this.#env.later(SAVE_DELAY_MS, () => {
      this.#cancel = undefined;
      this.#tell(text());
    });
  }

  /** The message was sent or discarded, with its attachments. */
  clear(): void {
    this.set(undefined);
  }

  /** Makes this the draft. */
  set(draft: Message | undefined): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#whole = draft;
    this.#share();
  }

  /** Tells what was typed last, when that still waits. */
  flush(text: string): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#tell(text);
  }

  #tell(text: string): void {
    if (text !== (this.#whole?.text ?? '')) {
      const draft = rewritten(this.#whole, text);
      this.#whole = text === '' && !carriesMore(draft) ? undefined : draft;
    }
    this.#share();
  }

  #share(): void {
    const draft = this.#whole;
    if (!this.#isSupported || sameJson(draft, this.#shared)) {
      this.#seen = this.#shared;
      return;
    }
    this.#seen = draft;
    void this.#chat.setDraft(draft).then((outcome) => {
      // A host that keeps no drafts: everybody has their own.
      const isRefused = outcome.outcome === 'rejected' && outcome.code !== 'tooLarge';
      if (isRefused && refusalOf(outcome) !== undefined) this.#isSupported = false;
      if (outcome.outcome === 'accepted') this.#adopt(draft, outcome.envelope.action);
    });
  }

  /** The host may have put references in place of large attachments: they need not be sent with each change of the text. */
  #adopt(sent: Message | undefined, { type, ...action }: StateAction): void {
    if (type !== 'chat/draftChanged' || !('draft' in action) || this.#whole !== sent) return;
    this.#whole = action.draft;
    if (this.#seen === sent) this.#seen = action.draft;
  }
}

/**
 * `earlier` with another text, as the person's own message: all else stays, `added` comes behind its attachments. Where former attachments
 * stood in the text goes with the text.
 */
export function rewritten(
  earlier: Message | undefined,
  text: string,
  added: readonly MessageAttachment[] = [],
): Message {
  const { attachments: former = [], ...rest } = earlier ?? { text: '' };
  const news = added.map(placeless);
  const kept = former
    .map((attachment) => (text === earlier?.text ? attachment : placeless(attachment)))
    .filter((attachment) => !news.some((other) => sameJson(other, placeless(attachment))));
  const attachments = [...kept, ...added];
  return {
    ...rest,
    text,
    origin: { kind: 'user' },
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

const placeless = ({ range: _, ...attachment }: MessageAttachment): MessageAttachment => attachment;

/** Whether a message has attachments, a model or an agent. */
export const carriesMore = ({ attachments = [], model, agent }: Message): boolean =>
  attachments.length > 0 || model !== undefined || agent !== undefined;

/** Attachments, model and agent of a draft, for the line above it. */
export function carriedLine(message: Message | undefined): Line {
  const { attachments = [], model, agent } = message ?? {};
  const said = [
    ...attachments.map(({ label }) => `+ ${oneLine(label, 60)}`),
    ...(model === undefined ? [] : [`model ${oneLine(model.id, 40)}`]),
    ...(agent === undefined ? [] : [`agent ${oneLine(agent.uri, 60)}`]),
  ];
  return said.length === 0 ? [] : [span(said.join('  '), { color: 'yellow' })];
}
