import type { ChatState, StateAction } from '@agenthost/protocol';
import type { ClientMemory } from '../src/mirror/action-store.ts';
import { readLife, type SavedLife } from '../src/mirror/saved-life.ts';
import { chatState, type FakeHost, terminalState } from './fake-host.ts';
import { Harness } from './harness.ts';
import type { ManualClock } from './manual-clock.ts';

export const CHAT = 'ahp-chat:/a';
export const TERMINAL = 'ahp-terminal:/t';

export const queued = (id: string, text = id): StateAction & { type: 'chat/pendingMessageSet' } => ({
  type: 'chat/pendingMessageSet',
  kind: 'queued',
  id,
  message: { text, origin: { kind: 'user' } },
});
export const draft = (text: string): StateAction & { type: 'chat/draftChanged' } => ({
  type: 'chat/draftChanged',
  draft: { text, origin: { kind: 'user' } },
});
export const ids = (state: ChatState): string[] => (state.queuedMessages ?? []).map(({ id }) => id);

/** The storage of a page. Its clients come and go. */
export class Storage implements ClientMemory {
  text: string | null = null;
  saveCount = 0;
  failure: Error | undefined;

  load(): string | null {
    return this.text;
  }

  save(text: string): void {
    if (this.failure !== undefined) throw this.failure;
    this.text = text;
    this.saveCount += 1;
  }

  get life(): SavedLife {
    const life = readLife(this.text ?? '');
    if (life === undefined) throw new Error('nothing is saved');
    return life;
  }

  get types(): string[] {
    return this.life.pending.map(({ action }) => action.type);
  }
}

let made = 0;
/** A client of a page that has just been loaded. */
export function load(
  memory: ClientMemory,
  options?: { host: FakeHost; sharedClock: ManualClock } | { holdsActions: boolean },
): Harness {
  const it = new Harness({ memory, clientId: undefined as never, newId: () => `n${++made}`, ...options });
  it.host.states.set(CHAT, it.host.states.get(CHAT) ?? chatState(CHAT));
  it.host.states.set(
    TERMINAL,
    it.host.states.get(TERMINAL) ?? terminalState({ kind: 'client', clientId: it.client.clientId }),
  );
  return it;
}

/** The page ends without closing its client, and is loaded again. */
export function reload(it: Harness, memory: ClientMemory): Harness {
  it.pair.cut({ code: 1006, reason: 'reload' });
  return load(memory, { host: it.host, sharedClock: it.clock });
}
