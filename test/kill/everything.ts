import type { Mirror } from '@agenthost/client';
import type { ClientAction, ToolCallState, Turn } from '@agenthost/protocol';
import { openRequests } from '@agenthost/protocol';
import { approved, openCalls, turnStarted } from '@agenthost/testkit';
import type { Witness } from './witness.ts';

/** Chats by the kind of open item in each. */
const OPEN = ['terminal', 'approval', 'queue', 'question', 'clientTool', 'worker'] as const;
type Kind = (typeof OPEN)[number];

const PROMPTS: Readonly<Record<Kind, string>> = {
  terminal: '!sleep 300',
  approval: 'ask',
  queue: 'hang',
  question: 'question text',
  clientTool: '\ntool look {"at":"it"}',
  worker: '\ndelegate hang',
};

/** A session with one open item of every kind, and a half-done import. */
export class Everything {
  readonly uri: string;
  readonly importUri: string;
  readonly #witness: Witness;
  readonly #chats = new Map<string, Mirror<'chat'>>();
  #importedChat = '';

  constructor(name: string, witness: Witness) {
    this.uri = `ahp-session:/${name}`;
    this.importUri = `ahp-session:/${name}-imported`;
    this.#witness = witness;
  }

  get chats(): readonly Mirror<'chat'>[] {
    return [...this.#chats.values()];
  }

  chat(name: string): Mirror<'chat'> {
    const mirror = this.#chats.get(name);
    if (mirror === undefined) throw new Error(`no chat ${name}`);
    return mirror;
  }

  /** Makes all of it, and waits until each item is open. */
  async build(): Promise<void> {
    const { client } = this.#witness;
    await client.request('createSession', { channel: this.uri, provider: 'demo' });
    await this.#witness.watch(this.uri);
    await this.#do(this.uri, {
      type: 'session/activeClientSet',
      activeClient: { clientId: this.#witness.name, tools: [{ name: 'look' }] },
    });
    for (const name of [...OPEN, 'past', 'cut']) {
      const chat = `${this.uri.replace('session', 'chat')}-${name}`;
      await client.request('createChat', { channel: this.uri, chat });
      this.#chats.set(name, await client.subscribe(chat, { kind: 'chat' }));
    }
    for (const name of ['past', 'cut'])
      for (const turn of ['one', 'two', 'three']) {
        await this.#do(this.chat(name).uri, turnStarted(`${name}-${turn}`, `say ${turn}`));
        await this.#witness.until(() => this.chat(name).confirmed.activeTurn === undefined);
      }
    await this.#do(this.chat('worker').uri, turnStarted('served', 'serve sleep 300'));
    const asked = (): ToolCallState | undefined =>
      openCalls(this.chat('worker').confirmed).find(({ status }) => status === 'pending-confirmation');
    await this.#witness.until(() => asked() !== undefined);
    await this.#do(this.chat('worker').uri, approved('served', asked()?.toolCallId ?? ''));
    await this.#witness.until(() => this.chat('worker').confirmed.activeTurn === undefined);
    for (const kind of OPEN) await this.#do(this.chat(kind).uri, turnStarted(`open-${kind}`, PROMPTS[kind]));
    const message = { text: 'later', origin: { kind: 'user' as const } };
    for (const id of ['first', 'second'])
      await this.#do(this.chat('queue').uri, { type: 'chat/pendingMessageSet', kind: 'queued', id, message });
    await this.#do(this.chat('past').uri, {
      type: 'chat/pendingMessageSet',
      kind: 'steering',
      id: 's',
      message,
    });
    await this.#beginImport();
    await this.#witness.until(
      () => this.missing().length === 0,
      () => this.missing().join(),
    );
  }

  /** Expected open items that are not open. */
  missing(): string[] {
    const calls = (kind: Kind) => openCalls(this.chat(kind).confirmed);
    const isOpen: Record<string, boolean> = {
      terminal: calls('terminal').some(
        (call) => call.status === 'running' && call.content?.some(({ type }) => type === 'terminal') === true,
      ),
      approval: calls('approval').some(({ status }) => status === 'pending-confirmation'),
      work: ['shell', 'subagent'].every((kind) =>
        this.chat('worker').confirmed.backgroundWork?.some((work) => work.kind === kind),
      ),
      queue: this.chat('queue').confirmed.queuedMessages?.length === 2,
      steering: this.chat('past').confirmed.steeringMessage !== undefined,
      question: openRequests(this.chat('question').confirmed).length === 1,
      clientTool: calls('clientTool').some(
        ({ status, contributor }) => status === 'running' && contributor?.kind === 'client',
      ),
    };
    return Object.keys(isOpen).filter((name) => isOpen[name] !== true);
  }

  /** Starts a fork of a chat, a fork of a session, a truncation and the rest of the import at the same time. Returns a promise for each. */
  begin(): Record<'forkChat' | 'forkSession' | 'truncation' | 'import', Promise<unknown>> {
    const { client } = this.#witness;
    const past = this.chat('past').uri;
    return {
      forkChat: client.request('createChat', {
        channel: this.uri,
        chat: this.forkedChat,
        source: { kind: 'fork', chat: past, turnId: 'past-two' },
      }),
      truncation: client.dispatch(this.chat('cut').uri, { type: 'chat/truncated', turnId: 'cut-one' }),
      import: Promise.all([this.#importTurn('imported-2'), this.#finishImport()]),
      forkSession: client.request('createSession', {
        channel: this.forkedSession,
        provider: 'demo',
        'x-fork': { session: this.uri, turnId: 'past-two' },
      }),
    };
  }

  get forkedChat(): string {
    return `${this.uri.replace('session', 'chat')}-fork`;
  }

  get forkedSession(): string {
    return `${this.uri}-fork`;
  }

  /** The turns that a fork contains. */
  get forkedTurns(): readonly Turn[] {
    return this.chat('past').confirmed.turns.slice(0, 2);
  }

  async #do(channel: string, action: ClientAction): Promise<void> {
    const { outcome } = await this.#witness.client.dispatch(channel, action);
    if (outcome !== 'accepted') throw new Error(`${action.type} was ${outcome}`);
  }

  async #beginImport(): Promise<void> {
    const { chats } = await this.#witness.client.request('x-importSession', {
      channel: this.importUri,
      session: {
        resource: 'ahp-session:/old',
        provider: 'demo',
        title: 'Old',
        status: 1,
        lifecycle: 'ready',
      },
      chats: [{ resource: 'ahp-chat:/old', title: 'Old', status: 1, modifiedAt: '2026-01-01T00:00:00.000Z' }],
    });
    this.#importedChat = chats[0]?.chat ?? '';
    await this.#importTurn('imported-1');
  }

  #importTurn(id: string): Promise<unknown> {
    return this.#witness.client.request('x-importTurns', {
      channel: this.importUri,
      chat: this.#importedChat,
      turns: [
        {
          turn: {
            id,
            message: { text: id, origin: { kind: 'user' } },
            responseParts: [{ kind: 'markdown', id: `${id}-part`, content: 'said' }],
            state: 'complete',
          },
        },
      ],
    });
  }

  #finishImport(): Promise<unknown> {
    return this.#witness.client.request('x-finishImport', { channel: this.importUri });
  }
}
