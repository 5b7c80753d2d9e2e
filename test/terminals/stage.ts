import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createAcpProvider, createDemoProvider } from '@agenthost/agents';
import {
  type AhpClient,
  connect,
  contentText,
  type Prompt,
  type SessionHandle,
  type TerminalHandle,
} from '@agenthost/client';
import { createHost, type Host } from '@agenthost/host';
import type { ChatState, ToolCallState, ToolResultContent, Turn } from '@agenthost/protocol';
import { removeFolder } from '../remove-folder.ts';

const scriptedAgent = fileURLToPath(
  new URL('../../packages/agents/test/acp-scripted-agent.ts', import.meta.url),
);

/** A host with real ptys, and two clients over WebSockets: one that asks and one that watches. */
export class Stage {
  readonly folder: string;
  readonly #host: Host;
  readonly #clients: readonly [asking: AhpClient, watching: AhpClient];

  static async open(): Promise<Stage> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-flows-')));
    const host = createHost({
      dataDir: join(folder, 'data'),
      agents: [
        () => createDemoProvider(),
        ({ children }) =>
          createAcpProvider(
            { id: 'scripted', displayName: 'Scripted', command: process.execPath, args: [scriptedAgent] },
            { childRegistry: children },
          ),
      ],
      roots: [folder],
      defaultDirectory: folder,
      // An empty home folder: what a user's own start-up files do must not decide a test.
      terminals: { keeper: false, shell: '/bin/bash', env: { HOME: folder, PS1: '$ ', HISTFILE: '' } },
      listen: { port: 0, token: 'flows' },
    });
    const address = await host.start();
    if (address === undefined) throw new Error('the host does not listen');
    const connected = (name: string): Promise<AhpClient> =>
      connect(address.wsUrl, { token: 'flows', clientInfo: { name, version: '1' } });
    return new Stage(folder, host, [await connected('asking'), await connected('watching')]);
  }

  private constructor(folder: string, host: Host, clients: readonly [AhpClient, AhpClient]) {
    this.folder = folder;
    this.#host = host;
    this.#clients = clients;
  }

  get asking(): AhpClient {
    return this.#clients[0];
  }

  get watching(): AhpClient {
    return this.#clients[1];
  }

  /** A session on both clients. Its agent runs commands without asking. */
  async session(provider = 'demo'): Promise<{ asking: SessionHandle; watching: SessionHandle }> {
    const asking = await this.asking.sessions.create({
      provider,
      workingDirectories: [pathToFileURL(this.folder).href],
      ...(provider === 'demo' ? { config: { askBeforeWriting: false } } : {}),
    });
    return { asking, watching: await this.watching.sessions.open(asking.uri) };
  }

  /** Resolves when both clients have received everything that the host has sent so far. */
  async settle(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.ping()));
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.#host.stop();
    await removeFolder(this.folder);
  }
}

/** A message for the demo agent, without its pauses. */
export const quickly = (text: string) => ({
  text,
  origin: { kind: 'user' as const },
  model: { id: 'demo-fast' },
});

/** Resolves with the result of `find` on a mirror, when it has one. The limit is the timeout of the test. */
export function seen<S, T>(
  mirror: { readonly confirmed: S; onChange(listener: () => void): () => void },
  find: (state: S) => T | undefined,
): Promise<T> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const found = find(mirror.confirmed);
      if (found !== undefined) resolve(found);
      return found !== undefined;
    };
    if (look()) return;
    const stop = mirror.onChange(() => {
      if (look()) stop();
    });
  });
}

/** Resolves with the terminal of a turn's call, running or ended, when the call shows one. A client opens it. */
export async function shownTerminal(
  client: AhpClient,
  session: SessionHandle,
  { turnId }: Prompt,
): Promise<TerminalHandle> {
  const uri = await seen(session.chat.mirror, ({ activeTurn, turns }: ChatState) => {
    const turn = activeTurn?.id === turnId ? activeTurn : turns.find(({ id }) => id === turnId);
    return callsOf(turn)
      .flatMap((call): readonly ToolResultContent[] => ('content' in call ? (call.content ?? []) : []))
      .flatMap((block) => (block.type === 'terminal' ? [block.resource] : []))
      .at(-1);
  });
  return client.terminal(uri);
}

/** Resolves when a terminal shows this text. */
export const shows = (terminal: TerminalHandle, text: string | RegExp): Promise<string> =>
  seen(terminal.mirror, ({ content }) => {
    const shown = contentText(content);
    const isThere = typeof text === 'string' ? shown.includes(text) : text.test(shown);
    return isThere ? shown : undefined;
  });

/** The tool calls of a turn. */
export const callsOf = (turn: Pick<Turn, 'responseParts'> | undefined): ToolCallState[] =>
  (turn?.responseParts ?? []).flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []));

/** Result of a turn's first call. */
export function resultOf(turn: Turn): { success: boolean; content: readonly ToolResultContent[] } {
  const [call] = callsOf(turn);
  if (call?.status !== 'completed') throw new Error(`not completed: ${JSON.stringify(call)}`);
  return { success: call.success, content: call.content ?? [] };
}

/** All text of one kind in a turn. */
export const textOf = (turn: Turn, kind: 'markdown' | 'reasoning' = 'markdown'): string =>
  turn.responseParts.map((part) => (part.kind === kind ? part.content : '')).join('');
