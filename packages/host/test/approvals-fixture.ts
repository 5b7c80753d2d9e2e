import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RememberedApproval, StateAction, ToolCallState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { approved, turnStarted } from '@agenthost/testkit';
import { onTestFinished } from 'vitest';
import type { ToolCallAnswer, ToolCallQuestion, ToolCallStart } from '../src/agents/tool-call.ts';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

/** Makes a folder with an empty `src`, by its real path. It is deleted after the test with everything beside it. */
export function newFolder(): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'approvals-')));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'work');
  mkdirSync(join(folder, 'src'), { recursive: true });
  return folder;
}

/** A question of the agent, and its answer. */
export interface Asked {
  readonly id: string;
  answer(): ToolCallAnswer | undefined;
  state(): Promise<ToolCallState>;
}

/** A session whose agent asks, in a folder of its own. */
export class AskingSession {
  readonly host: HostFixture;
  readonly client: RawClient;
  readonly uri: string;
  readonly chat: string;
  readonly folder: string;
  #count = 0;
  #turnId = 0;

  private constructor(
    host: HostFixture,
    client: RawClient,
    at: { uri: string; chat: string; folder: string },
  ) {
    this.host = host;
    this.client = client;
    this.uri = at.uri;
    this.chat = at.chat;
    this.folder = at.folder;
  }

  static async open(
    host: HostFixture,
    client: RawClient,
    {
      uri = 'ahp-session:/one',
      folder = newFolder(),
      approvals,
    }: { uri?: string; folder?: string; approvals?: string } = {},
  ): Promise<AskingSession> {
    const workingDirectory = pathToFileURL(folder).href;
    const config = approvals === undefined ? {} : { config: { approvals } };
    await client.request('createSession', {
      channel: uri,
      workingDirectories: [workingDirectory],
      ...config,
    });
    const { state } = await client.subscribe(uri);
    if (!('defaultChat' in state) || state.defaultChat === undefined) throw new Error('no default chat');
    await client.subscribe(state.defaultChat);
    await host.run();
    return new AskingSession(host, client, { uri, chat: state.defaultChat, folder });
  }

  /** Starts a host with an asking session. */
  static async start(
    options: { approvals?: string; folder?: string; locale?: string } = {},
  ): Promise<AskingSession> {
    const host = await startHost();
    const client = await host.client(
      'person',
      options.locale === undefined ? {} : { locale: options.locale },
    );
    return AskingSession.open(host, client, options);
  }

  async turn(client = this.client): Promise<void> {
    this.#turnId += 1;
    await client.act(this.chat, turnStarted(`turn-${this.#turnId}`));
    await this.host.run();
  }

  get turnId(): string {
    return `turn-${this.#turnId}`;
  }

  /** `file:` URI of a path in the folder. */
  uriOf(path: string): string {
    return pathToFileURL(join(this.folder, path)).href;
  }

  /** A version of a file, before or after an edit. */
  version(path: string) {
    return { uri: this.uriOf(path), content: { uri: 'agenthost-content:/x' } };
  }

  /** The edits of these files. */
  edits(...paths: string[]) {
    return paths.map((path) => ({ before: this.version(path), after: this.version(path) }));
  }

  async ask(start: Partial<ToolCallStart>, question: Partial<ToolCallQuestion> = {}): Promise<Asked> {
    this.#count += 1;
    const id = `call-${this.#count}`;
    const call = this.host.agent.turn.output.toolCall({
      toolCallId: id,
      toolName: 'tool',
      displayName: 'Tool',
      ...start,
    });
    let answer: ToolCallAnswer | undefined;
    void call.confirm({ invocationMessage: 'Do it', ...question }).then((given) => {
      answer = given;
    });
    await this.host.run();
    return { id, answer: () => answer, state: () => this.stateOf(id) };
  }

  /** A command that the agent wants to run. */
  run(command: string, more: Partial<ToolCallQuestion> = {}): Promise<Asked> {
    const toolInput = JSON.stringify({ command, description: `for ${this.#count}` });
    return this.ask({ toolName: 'shell', kind: 'execute' }, { toolInput, ...more });
  }

  async choose(asked: Asked, selectedOptionId: string): Promise<void> {
    await this.client.act(this.chat, approved(this.turnId, asked.id, { selectedOptionId }));
    await this.host.run();
  }

  async setPolicy(approvals: string): Promise<void> {
    const action: StateAction = { type: 'session/configChanged', config: { approvals } };
    await this.client.act(this.uri, action);
    await this.host.run();
  }

  /** The session's config values. */
  async config(): Promise<Record<string, unknown>> {
    const { state } = await this.client.subscribe(this.uri);
    return 'activeClients' in state ? (state.config?.values ?? {}) : {};
  }

  async list(session?: string): Promise<RememberedApproval[]> {
    const { items } = await this.client.request('x-listApprovals', {
      channel: ROOT,
      ...defined({ session }),
    });
    return items;
  }

  /** A call of the active turn. */
  async stateOf(id: string): Promise<ToolCallState> {
    const { activeTurn } = await chatOf(this.client, this.chat);
    const part = activeTurn?.responseParts.find(
      (each) => each.kind === 'toolCall' && each.toolCall.toolCallId === id,
    );
    if (part?.kind !== 'toolCall') throw new Error(`no call ${id}`);
    return part.toolCall;
  }
}
