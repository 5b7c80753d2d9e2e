import type { DispatchOutcome } from '@agenthost/client';
import type { Message } from '@agenthost/protocol';
import { Emitter } from '../../live/emitter.ts';
import {
  type DraftContent,
  draftKey,
  draftOf,
  EMPTY_DRAFT,
  isEmptyDraft,
  isLight,
  lightDraft,
  messageOf,
} from './draft-content.ts';
import type { DraftStore } from './draft-store.ts';
import { mergeDraft } from './merge-draft.ts';

/** How long typing must pause before the draft is sent to the host. Milliseconds. */
export const PAUSE_MS = 600;

/** What a draft needs of its chat. */
export interface DraftPort {
  /** The draft of the host. */
  remote(): Message | undefined;
  /** Calls `listener` after the chat changed. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Whether the chat runs or queues a message with this text. */
  wasSent(text: string): boolean;
  send(draft: Message | undefined): Promise<DispatchOutcome>;
  readonly store: DraftStore;
}

/**
 * The message that is written in one chat. It is shared with other clients through the host and kept in the browser. What the person here writes
 * is never replaced by what others write: their draft is offered.
 */
export class ChatDraft {
  readonly #port: DraftPort;
  readonly #changed = new Emitter();
  #content: DraftContent = EMPTY_DRAFT;
  /** `draftKey` of what this field and the host last had in common. */
  #base = '';
  #baseText = '';
  #offer: DraftContent | undefined;
  /** `draftKey` of the offer that the person dismissed. */
  #dismissed: string | undefined;
  #isFocused = false;
  #hasTyped = false;
  #sending = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(port: DraftPort) {
    this.#port = port;
    const stored = port.store.load();
    if (stored !== undefined) {
      this.#content = stored.content;
      this.#base = stored.base;
    }
    this.#baseText = this.#content.text;
    this.#merge();
  }

  get content(): DraftContent {
    return this.#content;
  }

  /** A draft of another client that differs from what is written here. */
  get offer(): DraftContent | undefined {
    return this.#offer;
  }

  /** Calls `listener` after `content` or `offer` changed. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  /** Follows the host's draft. Returns a function that sends what is not sent yet and stops. */
  follow(): () => void {
    const stop = this.#port.onChange(() => this.#merge());
    this.#merge();
    if (draftKey(this.#content) !== this.#base && this.#offer === undefined) this.#later();
    return () => {
      stop();
      this.flush();
    };
  }

  /** Changes the draft as its person does. */
  edit(content: DraftContent): void {
    if (content === this.#content) return;
    this.#hasTyped = true;
    this.#set(content);
    this.#later();
  }

  /** Tells whether the field has the focus. */
  setFocused(isFocused: boolean): void {
    this.#isFocused = isFocused;
    this.#hasTyped = false;
    if (!isFocused) this.flush();
    this.#merge();
  }

  /** Takes the draft out to send it. Call `clearShared` when the message is dispatched. */
  take(): DraftContent {
    const taken = this.#content;
    this.#hasTyped = false;
    this.#cancel();
    this.#set(EMPTY_DRAFT);
    return taken;
  }

  /** Removes the draft that was taken out from the host; the draft of another client stays. */
  clearShared(): void {
    // Other clients see the message first, so that they know that the draft was sent.
    if (this.#base !== '' && keyOf(this.#port.remote()) === this.#base) this.#send(undefined);
  }

  /** Puts content back that could not be sent, in front of what was written since. */
  giveBack(content: DraftContent): void {
    const present = this.#content;
    if (isEmptyDraft(present)) return this.edit({ ...content });
    const shift = content.text.length + 2;
    this.edit({
      ...present,
      text: `${content.text}\n\n${present.text}`,
      parts: [
        ...content.parts,
        ...present.parts.map((part) =>
          part.span === undefined
            ? part
            : { ...part, span: { start: part.span.start + shift, end: part.span.end + shift } },
        ),
      ],
    });
  }

  /** Replaces the text here by the offered one. */
  useOffer(): void {
    const offer = this.#offer;
    if (offer === undefined) return;
    this.#cancel();
    this.#hasTyped = false;
    this.#adopt(offer);
  }

  /** Keeps the text here, and shows it to the others. */
  dismissOffer(): void {
    this.#dismissed = this.#offer && draftKey(this.#offer);
    this.#offer = undefined;
    this.#later();
    this.#changed.emit();
  }

  /** Sends what was typed since the last pause. */
  flush(): void {
    this.#cancel();
    if (this.#offer !== undefined) return;
    const key = draftKey(this.#content);
    if (key === this.#base || (key === '' && this.#port.remote() === undefined)) return;
    this.#send(key === '' ? undefined : messageOf(lightDraft(this.#content), selectionOf(this.#content)));
  }

  #later(): void {
    this.#cancel();
    this.#timer = setTimeout(() => this.flush(), PAUSE_MS);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #send(draft: Message | undefined): void {
    const { content } = this;
    const earlier = this.#base;
    this.#setBase(draft === undefined ? '' : draftKey(content), draft?.text ?? '');
    this.#sending += 1;
    void this.#port.send(draft).then((outcome) => {
      this.#sending -= 1;
      // Without this, the mirror's return to the earlier draft would replace the text here.
      if (outcome.outcome !== 'accepted')
        this.#setBase(keyOf(this.#port.remote()) || earlier, this.#baseText);
      this.#merge();
    });
  }

  #merge(): void {
    // The mirror shows this client's own draft until the host has answered.
    if (this.#sending > 0) return;
    const message = this.#port.remote();
    const remote = message === undefined ? EMPTY_DRAFT : draftOf(message);
    const key = draftKey(remote);
    const decision = mergeDraft({
      local: draftKey(this.#content),
      base: this.#base,
      remote: key,
      isWriting: this.#isFocused && this.#hasTyped,
      wasSent: key === '' && this.#port.wasSent(this.#baseText),
    });
    switch (decision) {
      case 'adopt':
        return this.#adopt(remote);
      case 'offer':
        return this.#setOffer(key === this.#dismissed ? undefined : remote);
      case 'same':
        this.#setBase(key, remote.text);
        return this.#setOffer(undefined);
      case 'keep':
        return this.#setOffer(undefined);
    }
  }

  #adopt(remote: DraftContent): void {
    const key = draftKey(remote);
    this.#setBase(key, remote.text);
    this.#offer = undefined;
    if (key === draftKey(this.#content)) return this.#changed.emit();
    // Large attachments are known here only.
    const own = this.#content.parts.filter((part) => !isLight(part));
    this.#set({ ...remote, parts: [...remote.parts, ...own] });
  }

  #setOffer(offer: DraftContent | undefined): void {
    if (offer === this.#offer || (offer && this.#offer && draftKey(offer) === draftKey(this.#offer))) return;
    this.#offer = offer;
    this.#changed.emit();
  }

  #set(content: DraftContent): void {
    this.#content = content;
    this.#save();
    this.#changed.emit();
  }

  #setBase(key: string, text: string): void {
    this.#base = key;
    this.#baseText = text;
    this.#save();
  }

  #save(): void {
    const isNothing = this.#base === '' && draftKey(this.#content) === '';
    this.#port.store.save(isNothing ? undefined : { content: this.#content, base: this.#base });
  }
}

const keyOf = (message: Message | undefined): string =>
  message === undefined ? '' : draftKey(draftOf(message));

const selectionOf = ({ model, agent }: DraftContent) => ({ model, agent: agent ?? undefined });
