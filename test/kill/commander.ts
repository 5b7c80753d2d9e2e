import type { DeedCounts, SeededRandom } from '@agenthost/testkit';
import type { Copies } from './copies.ts';
import { type Doer, isWorker } from './doer.ts';

const MOST_CHATS = 4;
const MOST_WORKERS = 8;
const MOST_SESSIONS = 4;

/** Creates, forks and disposes of chats and sessions through the clients of others. */
export class Commander {
  readonly #session: string;
  readonly #random: SeededRandom;
  readonly #counts: DeedCounts;
  readonly #copies: Copies;
  readonly #answers = new Set<Promise<void>>();

  constructor(parts: { session: string; random: SeededRandom; counts: DeedCounts; copies: Copies }) {
    this.#session = parts.session;
    this.#random = parts.random;
    this.#counts = parts.counts;
    this.#copies = parts.copies;
  }

  /** Sends one command and does not wait for its answer. */
  command(doer: Doer): void {
    const answered = this.#send(doer);
    this.#answers.add(answered);
    void answered.finally(() => this.#answers.delete(answered));
  }

  /** Resolves when each command has an answer or has failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#answers);
  }

  async #send(doer: Doer): Promise<void> {
    const chats = doer.entries(this.#session);
    const made = chats.filter(({ resource }) => resource.startsWith('ahp-chat:/passing'));
    const workers = chats.filter(isWorker);
    const isFull = made.length >= MOST_CHATS;
    const passing = [...made, ...(workers.length > MOST_WORKERS ? workers : [])];
    switch (
      this.#random.weighted({
        create: 2,
        forkChat: 3,
        disposeChat: isFull ? 4 : 1,
        forkSession: 2,
        disposeSession: 1,
      })
    ) {
      case 'create':
        if (isFull) return;
        await this.#counts.answered(
          'createChat',
          doer.client.request('createChat', { channel: this.#session, chat: this.#newChat() }),
        );
        return;
      case 'forkChat':
        return isFull ? undefined : this.#fork(doer, 'chat');
      case 'forkSession':
        return this.#copies.sessions.length >= MOST_SESSIONS ? undefined : this.#fork(doer, 'session');
      case 'disposeChat': {
        if (passing.length === 0) return;
        const { resource } = this.#random.pick(passing);
        this.#copies.drop(resource);
        await this.#counts.answered('disposeChat', doer.client.request('disposeChat', { channel: resource }));
        return;
      }
      case 'disposeSession': {
        const [channel] = this.#copies.sessions;
        if (channel === undefined) return;
        this.#copies.drop(channel);
        await this.#counts.answered('disposeSession', doer.client.request('disposeSession', { channel }));
        return;
      }
      default:
    }
  }

  /** Forks a chat at one of its turns. Half of the new chats and all new sessions stay untouched from then on. */
  async #fork(doer: Doer, kind: 'chat' | 'session'): Promise<void> {
    const sources = doer.chats().filter(({ confirmed }) => confirmed.turns.length > 0);
    if (sources.length === 0) return;
    const { uri: source, confirmed } = this.#random.pick(sources);
    const turns = confirmed.turns.slice(0, this.#random.between(1, confirmed.turns.length));
    const turnId = turns.at(-1)?.id ?? '';
    const uri = kind === 'chat' ? this.#newChat() : `ahp-session:/passing-${this.#random.hex(8)}`;
    const isLeftAlone = kind === 'session' || this.#random.chance(0.5);
    // Chats of a session may have different versions of a turn that was resumed [CHAT-23], and a session is forked by the turn's id alone.
    const hasVersions = turns.some(({ responseParts }) =>
      responseParts.some((part) => part.kind === 'error' && part.resumable === true),
    );
    // Registered before the fork, so that no doer starts to work in it.
    const before = this.#counts.of(`fork of a ${kind}`, 'lost');
    const answer =
      kind === 'chat'
        ? doer.client.request('createChat', {
            channel: this.#session,
            chat: uri,
            source: { kind: 'fork', chat: source, turnId },
          })
        : doer.client.request('createSession', {
            channel: uri,
            provider: 'demo',
            'x-fork': { session: this.#session, turnId },
          });
    const isDone = await this.#counts.answered(`fork of a ${kind}`, answer);
    const mayBe = isDone || this.#counts.of(`fork of a ${kind}`, 'lost') > before;
    if (isLeftAlone && mayBe && !hasVersions) this.#copies.add({ uri, turns, isSure: isDone });
  }

  #newChat(): string {
    return `ahp-chat:/passing-${this.#random.hex(8)}`;
  }
}
