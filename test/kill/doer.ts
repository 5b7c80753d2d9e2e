import { setTimeout as pause } from 'node:timers/promises';
import type { Mirror } from '@agenthost/client';
import type { ChannelKind, ChatState, ChatSummary, ClientAction } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { DeedCounts } from '@agenthost/testkit';
import { act, goOnWithTool, SeededRandom } from '@agenthost/testkit';
import { Witness } from './witness.ts';

/** Prompts of the demo agent: everything that waits for people, calls tools, or takes a while. */
const PROMPTS = [
  'stream 60 every 2',
  'think about it; parts 12; stream 100 every 3',
  'list; progress 20 every 3; stream 30 every 2',
  'ask; stream 20 every 2',
  'ask; ask; ask; ask',
  'ask edit; ask edit',
  'big 300; ask',
  'ask options',
  'ask edit; ask',
  'ask twice',
  'ask result',
  'ask result; ask result',
  'ask result; ask result; ask result',
  'ask result; ask twice; ask result',
  'question text',
  'question boolean single; stream 20 every 2',
  'question integer number',
  'question form',
  'question url',
  'big 300',
  'title renamed by the agent',
  'hang',
  'big 300; stream 10 every 2',
  'fail on purpose',
  'fail on purpose; stream 20 every 2; ask',
  'fail on purpose; fail again; stream 30 every 3',
  '\ntool look {"at":"it"}\ntool look {"at":"that"}',
  '\ntool look {"at":"it"}',
  '\ntool look {"at":"one"}\ntool look {"at":"two"}\ntool look {"at":"three"}',
  '\ndelegate stream 30 every 3',
  '\ndelegate 2 ask; stream 10 every 3',
  '\ndelegate question text',
] as const;

/** Number of worker chats to subscribe to. */
const WORKERS_SEEN = 2;

export const isWorker = ({ origin }: ChatSummary): boolean => origin?.kind === 'tool';

/** A client that performs random operations and records what the host sends. */
export class Doer extends Witness {
  readonly random: SeededRandom;
  readonly #counts: DeedCounts;
  readonly #held = new Map<string, Mirror<ChannelKind>>();
  readonly #pending = new Set<Promise<void>>();
  readonly #folder: string;

  /** `folder`: the folder below which working directories are. */
  constructor(parts: {
    name: string;
    seed: number;
    counts: DeedCounts;
    wsUrl: () => string;
    folder: string;
  }) {
    super(parts.name, parts.wsUrl);
    this.#folder = parts.folder;
    this.random = SeededRandom.of(parts.seed, parts.name);
    this.#counts = parts.counts;
  }

  /** A message with a unique word, for the search. */
  prompt = (): string => `say word${this.random.hex(10)}; ${this.random.pick(PROMPTS)}`;

  mirrors(): readonly Mirror<ChannelKind>[] {
    return [...this.#held.values()];
  }

  /** The subscribed chats. */
  chats(): { readonly uri: string; readonly confirmed: ChatState }[] {
    return this.mirrors().flatMap(({ uri, confirmed }) => ('turns' in confirmed ? [{ uri, confirmed }] : []));
  }

  /** The chats of a session, by its mirror. */
  entries(session: string): readonly ChatSummary[] {
    const confirmed = this.#held.get(session)?.confirmed;
    return confirmed !== undefined && 'chats' in confirmed ? confirmed.chats : [];
  }

  dispatch(channel: string, action: ClientAction): void {
    const settled = this.client.dispatch(channel, action).then((outcome) => {
      this.#counts.settled(action, outcome);
    });
    this.#pending.add(settled);
    void settled.finally(() => this.#pending.delete(settled));
  }

  /** Performs one operation, mostly in a chat with a running turn, so that its questions are answered. */
  act(): void {
    if (this.random.chance(0.5) && this.#goOnWithTool()) return;
    const all = this.mirrors();
    const busy = all.filter(({ state }) => 'turns' in state && state.activeTurn !== undefined);
    const isBusy = busy.length > 0 && this.random.chance(0.6);
    act({
      name: this.name,
      random: this.random,
      prompt: this.prompt,
      folder: this.#folder,
      mirrors: () => (isBusy ? busy : all),
      dispatch: (channel, action) => this.dispatch(channel, action),
    });
  }

  /** Continues a call of a tool of a client: turns with such calls are few, and seldom live long. False if there is none. */
  #goOnWithTool(): boolean {
    for (const { uri, state } of this.mirrors()) {
      if (!('turns' in state)) continue;
      const action = goOnWithTool(this.random, state, this.name);
      if (action === undefined) continue;
      this.dispatch(uri, action);
      return true;
    }
    return false;
  }

  /** Resolves when the host has answered all dispatches. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async hold(uri: string, maxLatencyMs?: number): Promise<void> {
    if (this.#held.has(uri)) return;
    this.#held.set(uri, await this.client.subscribe(uri, defined({ maxLatencyMs })));
  }

  /** Subscribes to the session's current chats without those in `except`. */
  async follow(
    entries: readonly ChatSummary[],
    except: ReadonlySet<string>,
    maxLatencyMs?: number,
  ): Promise<void> {
    for (const mirror of this.mirrors()) {
      if (
        !mirror.isLost &&
        (mirror.kind !== 'chat' || entries.some(({ resource }) => resource === mirror.uri))
      )
        continue;
      mirror.dispose();
      this.#held.delete(mirror.uri);
    }
    const workers = entries.filter(isWorker).slice(-WORKERS_SEEN);
    const others = entries.filter((entry) => !isWorker(entry) && !except.has(entry.resource));
    for (const { resource } of [...others, ...workers]) await this.hold(resource, maxLatencyMs);
  }

  /** Ends running turns. Resolves when none runs. */
  async calm(): Promise<void> {
    for (;;) {
      await this.settled();
      await this.client.ping();
      const active = this.chats().filter(({ confirmed }) => confirmed.activeTurn !== undefined);
      if (active.length === 0) return;
      for (const { uri, confirmed } of active)
        await this.client.dispatch(uri, {
          type: 'chat/turnCancelled',
          turnId: confirmed.activeTurn?.id ?? '',
          duration: 0,
        });
      await pause(5);
    }
  }
}
