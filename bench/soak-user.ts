import { setTimeout as pause } from 'node:timers/promises';
import {
  type AhpClient,
  ChannelLost,
  ClientClosed,
  ConnectionLost,
  createClient,
  type Mirror,
  type TerminalHandle,
  UnexpectedState,
} from '@agenthost/client';
import type { ChannelKind, ChatState } from '@agenthost/protocol';
import { RpcError, type Transport } from '@agenthost/rpc';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { act, SeededRandom } from '@agenthost/testkit';

const PROMPTS = [
  'stream 60 every 2',
  'stream 300 every 0',
  'think about it; parts 6; stream 40 every 3',
  'list; progress 10 every 3; stream 30 every 2',
  'ask; stream 20 every 2',
  'ask options; ask result',
  'big 60',
  'question form',
  'title a name that the agent found',
  'fail on purpose',
  'crash on purpose',
  '\ndelegate stream 20 every 2',
  '\nrun printf "%s\\n" one two three',
] as const;

const DEEDS = {
  act: 50,
  openOther: 2,
  createSession: 1,
  forkSession: 0.6,
  forkChat: 1,
  disposeChat: 1,
  disposeSession: 1.2,
  createTerminal: 1,
  type: 3,
  disposeTerminal: 1,
  search: 2,
  complete: 3,
  list: 1,
  older: 2,
  cut: 0.5,
  leave: 0.3,
} as const;

/** Limits of what one user holds at a time, so that a run reaches a steady state. */
const MOST_SESSIONS = 3;
const MOST_TERMINALS = 2;
const MOST_OTHERS = 2;
const PAUSE_MS = 25;

/** An open session with its default chat. The types of the mirrors are loose because the deeds take any mirror. */
interface Open {
  readonly uri: string;
  readonly session: Mirror<ChannelKind>;
  readonly chat: Mirror<ChannelKind>;
}

/** A user who repeats every operation of a host and keeps a bounded number of sessions and terminals. */
export class SoakUser {
  readonly #url: string;
  readonly #folder: string;
  readonly #random: SeededRandom;
  /** URIs of the sessions of all users. */
  readonly #shared: Set<string>;
  #client: AhpClient;
  #transport: Transport | undefined;
  #own: Open[] = [];
  #others: Open[] = [];
  #chats: Mirror<ChannelKind>[] = [];
  #terminals: TerminalHandle[] = [];
  /** How often each deed was done. */
  readonly counts: Record<string, number> = {};

  constructor(parts: { url: string; folder: string; seed: number; name: string; shared: Set<string> }) {
    this.#url = parts.url;
    this.#folder = parts.folder;
    this.#random = SeededRandom.of(parts.seed, parts.name);
    this.#shared = parts.shared;
    this.#client = this.#newClient();
  }

  /** Runs until `signal` aborts. Rejects with any error other than a refusal or a lost connection. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#client.connect();
    while (!signal.aborted) {
      const deed = this.#random.weighted(DEEDS);
      this.counts[deed] = (this.counts[deed] ?? 0) + 1;
      try {
        await this.#do(deed);
      } catch (error) {
        if (!isExpected(error)) throw error;
        await this.#client.whenOnline();
      }
      this.#dropLost();
      await pause(this.#random.between(0, PAUSE_MS * 2));
    }
    this.#client.close();
  }

  async #do(deed: keyof typeof DEEDS): Promise<void> {
    const random = this.#random;
    const client = this.#client;
    switch (deed) {
      case 'act':
        return act({
          name: client.clientId,
          random,
          prompt: () => `say ${random.hex(8)} ${random.hex(8)}; ${random.pick(PROMPTS)}`,
          mirrors: () => this.#mirrors(),
          // Other tests check which of them the host applies and which it refuses.
          dispatch: (channel, action) => void client.dispatch(channel, action),
        });
      case 'createSession':
        if (this.#own.length < MOST_SESSIONS) await this.#create({ workingDirectories: [this.#folder] });
        return;
      case 'forkSession': {
        const source = this.#pickOwn();
        const turnId = lastTurn(source);
        if (source !== undefined && turnId !== undefined && this.#own.length < MOST_SESSIONS)
          await this.#create({ 'x-fork': { session: source.uri, turnId } });
        return;
      }
      case 'disposeSession': {
        const session = this.#own.length > 1 ? this.#own.shift() : undefined;
        if (session === undefined) return;
        this.#shared.delete(session.uri);
        close(session);
        return client.sessions.dispose(session.uri);
      }
      case 'openOther': {
        const all = [...this.#shared];
        if (all.length === 0) return;
        this.#others.push(await this.#open(random.pick(all)));
        if (this.#others.length > MOST_OTHERS) close(this.#others.shift());
        return;
      }
      case 'forkChat': {
        const session = this.#pickOwn();
        if (session === undefined || this.#chats.length >= MOST_SESSIONS) return;
        const turnId = lastTurn(session);
        const chat = `ahp-chat:/soak-${random.hex(12)}`;
        const source =
          turnId === undefined ? {} : { source: { kind: 'fork' as const, chat: session.chat.uri, turnId } };
        await client.request('createChat', { channel: session.uri, chat, ...source });
        this.#chats.push(await client.subscribe(chat, { turns: 5 }));
        return;
      }
      case 'disposeChat': {
        const chat = this.#chats.shift();
        if (chat === undefined) return;
        chat.dispose();
        await client.request('disposeChat', { channel: chat.uri });
        return;
      }
      case 'createTerminal':
        if (this.#terminals.length < MOST_TERMINALS)
          this.#terminals.push(
            await client.createTerminal({
              command: [
                '/bin/sh',
                '-c',
                'i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "line $i of it"; done; cat',
              ],
            }),
          );
        return;
      case 'type':
        await this.#terminals.at(-1)?.input(`${random.hex(20)}\r`);
        return;
      case 'disposeTerminal':
        await this.#terminals.shift()?.dispose();
        return;
      case 'search':
        await client.sessions.search(random.hex(2), { limit: 10 });
        return;
      case 'complete': {
        const session = this.#pickOwn();
        const text = `look at @${random.pick(['s', 'so', 'r', 'x'])}`;
        if (session === undefined) return;
        await client.request('completions', {
          channel: session.uri,
          kind: 'userMessage',
          text,
          offset: text.length,
        });
        return;
      }
      case 'list':
        for await (const _ of client.sessions.list({ pageSize: 20 })) continue;
        return;
      case 'older':
        await this.#pickOwn()?.chat.fetchOlderTurns();
        return;
      case 'cut':
        this.#transport?.close(4000, 'cut');
        this.#client.reconnectNow();
        return this.#client.whenOnline();
      case 'leave':
        return this.#leave();
      default:
        return deed satisfies never;
    }
  }

  /** Disconnects and returns as a new client. Its earlier sessions stay and can be opened. */
  async #leave(): Promise<void> {
    const kept = this.#own.map(({ uri }) => uri);
    await Promise.all(this.#terminals.map((terminal) => terminal.dispose()));
    this.#client.close();
    this.#own = [];
    this.#others = [];
    this.#chats = [];
    this.#terminals = [];
    this.#client = this.#newClient();
    await this.#client.connect();
    for (const uri of kept) this.#own.push(await this.#open(uri));
  }

  #newClient(): AhpClient {
    return createClient({
      clientId: `soak-${this.#random.hex(16)}`,
      backoff: { minMs: 10, maxMs: 200 },
      transport: async (signal) => {
        this.#transport = await connectWebSocket(this.#url, { signal });
        return this.#transport;
      },
    });
  }

  async #create(params: Parameters<AhpClient['sessions']['create']>[0]): Promise<void> {
    const handle = await this.#client.sessions.create(params);
    this.#own.push(await this.#open(handle.uri));
    handle.dispose();
    this.#shared.add(handle.uri);
  }

  async #open(uri: string): Promise<Open> {
    const session = await this.#client.subscribe(uri);
    const chat = 'defaultChat' in session.state ? session.state.defaultChat : undefined;
    if (chat === undefined) throw new ChannelLost(uri);
    const maxLatencyMs = this.#random.pick([0, 50]);
    return { uri, session, chat: await this.#client.subscribe(chat, { turns: 5, maxLatencyMs }) };
  }

  #pickOwn(): Open | undefined {
    return this.#own.length === 0 ? undefined : this.#random.pick(this.#own);
  }

  #mirrors(): readonly Mirror<ChannelKind>[] {
    const open = [...this.#own, ...this.#others].flatMap(({ session, chat }) => [session, chat]);
    return [...open, ...this.#chats].filter(({ isLost }) => !isLost);
  }

  #dropLost(): void {
    const isThere = ({ session, chat }: Open): boolean => !session.isLost && !chat.isLost;
    for (const open of [...this.#own, ...this.#others]) if (!isThere(open)) close(open);
    this.#own = this.#own.filter(isThere);
    this.#others = this.#others.filter(isThere);
    this.#chats = this.#chats.filter(({ isLost }) => !isLost);
  }
}

function close(open: Open | undefined): void {
  open?.session.dispose();
  open?.chat.dispose();
}

const lastTurn = (open: Open | undefined): string | undefined => {
  const state: Partial<ChatState> =
    open === undefined || !('turns' in open.chat.state) ? {} : open.chat.state;
  return state.turns?.at(-1)?.id;
};

const isExpected = (error: unknown): boolean =>
  error instanceof RpcError ||
  error instanceof ConnectionLost ||
  error instanceof ChannelLost ||
  error instanceof ClientClosed ||
  error instanceof UnexpectedState;
