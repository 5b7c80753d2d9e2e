import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServerCustomization, McpServerState, ToolCallResult } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { onTestFinished } from 'vitest';
import type { HostToolCall } from '../src/agents/tool-call.ts';
import { type FixtureOptions, type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

export { ROOT, SESSION };

export const PROGRAM = fileURLToPath(new URL('./mcp-program.ts', import.meta.url));

/** An entry of `mcpServers` that runs the test's server. */
export const testServer = (more: object = {}, ...args: string[]) => ({
  command: process.execPath,
  args: [PROGRAM, ...args],
  ...more,
});

/** A host with MCP servers whose programs are real. */
export class McpStage {
  readonly host: HostFixture;
  readonly client: RawClient;
  readonly folder: string;
  chat = '';

  constructor(host: HostFixture, client: RawClient, folder: string) {
    this.host = host;
    this.client = client;
    this.folder = folder;
  }

  /** Runs the host, and waits for programs, until there is a value. */
  async until<T>(find: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (let round = 0; round < 2_500; round += 1) {
      await this.host.run();
      const found = await find();
      if (found !== undefined && found !== false) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('it did not happen');
  }

  async servers(client = this.client): Promise<McpServerCustomization[]> {
    const { state } = await client.subscribe(SESSION);
    if (!('customizations' in state)) return [];
    return (state.customizations ?? []).flatMap((each) => (each.type === 'mcpServer' ? [each] : []));
  }

  /** Waits until a server is in a state. */
  inState<K extends McpServerState['kind']>(
    kind: K,
    id = 'mcp-host-test',
  ): Promise<Extract<McpServerState, { kind: K }>> {
    return this.until(async () => {
      const state = (await this.servers()).find((each) => each.id === id)?.state;
      return state?.kind === kind ? (state as Extract<McpServerState, { kind: K }>) : undefined;
    });
  }

  /** Starts a turn, and waits until the agent has it. */
  async turn(id = 't1'): Promise<void> {
    const before = this.host.agent.turns.length;
    await this.client.act(this.chat, turnStarted(id));
    await this.until(() => this.host.agent.turns.length > before);
  }

  /** The tools that the agent gets. */
  tools(): string[] {
    return (
      this.host.agent.opened
        .at(-1)
        ?.host.hostTools()
        .map(({ name }) => name) ?? []
    );
  }

  /** Begins a call by the agent. */
  begin(
    name: string,
    input: object = {},
    withdrawn?: AbortSignal,
    askModel?: HostToolCall['askModel'],
  ): Promise<ToolCallResult> {
    const call = { name, toolInput: JSON.stringify(input), ...(askModel && { askModel }) };
    return this.host.agent.turn.output.hostTool(call, withdrawn);
  }

  /** Calls a tool that nobody is asked about, and returns its result. */
  async call(name: string, input: object = {}): Promise<ToolCallResult> {
    let result: ToolCallResult | undefined;
    void this.begin(name, input).then((done) => {
      result = done;
    });
    return this.until(() => result);
  }

  async lastTurn() {
    const state = await chatOf(this.client, this.chat);
    return state.activeTurn ?? state.turns.at(-1);
  }

  /** The open input request of the turn. */
  async openRequest() {
    const parts = (await this.lastTurn())?.responseParts ?? [];
    const part = parts.find((each) => each.kind === 'inputRequest');
    return part?.kind === 'inputRequest' && part.response === undefined ? part.request : undefined;
  }

  /** The tool call that waits for an answer. */
  async openQuestion() {
    const last = await this.lastCall();
    return last?.status === 'pending-confirmation' ? last : undefined;
  }

  /** Answers it with one of its options, or without. */
  async answer(approved: boolean, selectedOptionId?: string, turnId = 't1'): Promise<void> {
    const { toolCallId } = await this.until(() => this.openQuestion());
    const option = selectedOptionId === undefined ? {} : { selectedOptionId };
    await this.client.act(this.chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      ...option,
      ...(approved
        ? { approved, confirmed: 'user-action' as const }
        : { approved, reason: 'denied' as const }),
    });
  }

  /** The newest tool call of the chat. */
  async lastCall() {
    const turn = await this.lastTurn();
    const part = turn?.responseParts.findLast(({ kind }) => kind === 'toolCall');
    return part?.kind === 'toolCall' ? part.toolCall : undefined;
  }
}

/** Text of a result for the agent. */
export const textOf = ({ content = [], error }: ToolCallResult): string =>
  error?.message ??
  content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');

/** A host with a ready session, whose working directory is a new folder. */
export async function mcpStage(
  options: FixtureOptions & { files?: (folder: string) => void; hasDataDir?: boolean } = {},
): Promise<McpStage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-')));
  const { files, hasDataDir = false, ...rest } = options;
  files?.(folder);
  const dataDir = hasDataDir ? { dataDir: join(folder, 'data') } : {};
  const host = await startHost({ defaultDirectory: folder, roots: [folder], ...dataDir, ...rest });
  const client = await host.client('ada', { clientInfo: { name: 'ada' } });
  const stage = new McpStage(host, client, folder);
  onTestFinished(async () => {
    if (host.isUp) {
      let isOver = false;
      void host.host.stop().then(() => {
        isOver = true;
      });
      // The agent of an open turn gets time to stop.
      await stage.until(async () => {
        await host.advance(1_000);
        return isOver;
      });
    }
    rmSync(folder, { recursive: true, force: true });
  });
  stage.chat = (await host.session(client)).chat;
  return stage;
}
