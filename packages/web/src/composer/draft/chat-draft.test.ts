import type { DispatchOutcome } from '@agenthost/client';
import type { Message } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatDraft, PAUSE_MS } from './chat-draft.ts';
import type { StoredDraft } from './draft-store.ts';

const message = (text: string): Message => ({ text, origin: { kind: 'user' } });
const accepted = { outcome: 'accepted' } as DispatchOutcome;
const refused: DispatchOutcome = { outcome: 'rejected', code: 'tooLarge', reason: 'too large' };

/** A host that keeps one draft, and a browser that keeps one. */
function start({ draft, stored }: { draft?: string; stored?: StoredDraft } = {}) {
  let remote = draft === undefined ? undefined : message(draft);
  let kept = stored;
  const listeners = new Set<() => void>();
  const sentMessages: string[] = [];
  const host = {
    outcome: accepted,
    get draft() {
      return remote?.text;
    },
    get kept() {
      return kept?.content.text;
    },
    sentMessages,
    change: (text: string | undefined) => {
      remote = text === undefined ? undefined : message(text);
      for (const listener of listeners) listener();
    },
  };
  const field = new ChatDraft({
    remote: () => remote,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wasSent: (text) => sentMessages.includes(text),
    send: async (sent) => {
      const { outcome } = host;
      if (outcome === accepted) remote = sent;
      return outcome;
    },
    store: {
      load: () => kept,
      save: (saved) => {
        kept = saved;
      },
    },
  });
  const stop = field.follow();
  const type = (text: string): void => field.edit({ ...field.content, text });
  return { host, field, stop, type };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
});
const pause = () => vi.advanceTimersByTimeAsync(PAUSE_MS);

describe('[CHAT-14] the draft of a chat', () => {
  it('is sent when typing pauses', async () => {
    const { host, type } = start();
    type('a');
    type('ab');
    expect(host.draft).toBeUndefined();
    await pause();
    expect(host.draft).toBe('ab');
  });

  it('follows the host, and is sent when the field is left', async () => {
    const { host, field, type } = start({ draft: 'theirs' });
    expect(field.content.text).toBe('theirs');
    field.setFocused(true);
    type('theirs and mine');
    field.setFocused(false);
    expect(host.draft).toBe('theirs and mine');
  });

  it('is offered while a person writes here, and replaces nothing', async () => {
    const { host, field, type } = start();
    field.setFocused(true);
    type('mine');
    await pause();
    host.change('theirs');
    expect(field.content.text).toBe('mine');
    expect(field.offer?.text).toBe('theirs');
    field.useOffer();
    expect(field.content.text).toBe('theirs');
    expect(field.offer).toBeUndefined();
  });

  it('goes to the host when the offer is dismissed', async () => {
    const { host, field, type } = start();
    field.setFocused(true);
    type('mine');
    host.change('theirs');
    await pause();
    expect(host.draft).toBe('theirs');
    field.dismissOffer();
    await pause();
    expect(host.draft).toBe('mine');
  });

  it('is removed from this field when another client sends it', async () => {
    const { host, field, type } = start();
    field.setFocused(true);
    type('do it');
    await pause();
    host.sentMessages.push('do it');
    host.change(undefined);
    expect(field.content.text).toBe('');
  });

  it('is removed from the host when its message is sent, also if the text went on', async () => {
    const { host, field, type } = start();
    type('do');
    await pause();
    type('do it');
    expect(field.take().text).toBe('do it');
    field.clearShared();
    expect(host.draft).toBeUndefined();
  });

  it('comes back in front of newer text when the message is refused', () => {
    const { field, type } = start();
    type('first');
    const taken = field.take();
    type('second');
    field.giveBack(taken);
    expect(field.content.text).toBe('first\n\nsecond');
  });

  it('stays here when the host refuses it', async () => {
    const { host, field, type } = start({ draft: 'old' });
    host.outcome = refused;
    type('too long');
    await pause();
    host.change('old');
    expect(field.content.text).toBe('too long');
    expect(host.kept).toBe('too long');
  });

  it('is kept over a reload, and sent then', async () => {
    const stored: StoredDraft = { content: { text: 'unsent', parts: [] }, base: '' };
    const { host, field } = start({ stored });
    expect(field.content.text).toBe('unsent');
    await pause();
    expect(host.draft).toBe('unsent');
  });
});
