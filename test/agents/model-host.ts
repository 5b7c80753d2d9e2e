// A host with a model agent in front of a stand-in model, and two clients.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createModelProvider } from '@agenthost/agents';
import { type AhpClient, connect, type Prompt, type SessionHandle, type TurnEvent } from '@agenthost/client';
import { createHost, type Host } from '@agenthost/host';
import type { ToolCallState, Turn } from '@agenthost/protocol';
import { type ChatCompletionRequest, type ChatMessage, LLMock, type ToolCall } from '@copilotkit/aimock';
import { textOf } from '../../packages/agents/test/model/model-chat.ts';

const MCP_PROGRAM = fileURLToPath(new URL('../../packages/host/test/mcp-program.ts', import.meta.url));

/** A new folder outside of `/tmp`, which the sandbox replaces. */
const newFolder = (): string =>
  realpathSync(mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'agenthost-model-host-')));

/** Decides about the questions of a turn. `undefined`: they stay open. */
export type Answer = (event: Extract<TurnEvent, { type: 'confirmation' | 'inputRequest' }>) => unknown;

/** The real host, the real client, and a model that the test plays. */
export class ModelHost {
  readonly folder = newFolder();
  /** The working directory. */
  readonly project = join(this.folder, 'project');
  readonly mock = new LLMock({ port: 0, host: '127.0.0.1' });
  #host: Host | undefined;
  #asking: AhpClient | undefined;
  #watching: AhpClient | undefined;

  async start(): Promise<this> {
    const baseUrl = `${await this.mock.start()}/v1`;
    this.write('project/a.txt', 'apple\n');
    this.write('keys/mine', 'sk-of-the-file\n', 0o600);
    const host = createHost({
      dataDir: join(this.folder, 'data'),
      agents: [
        ({ timers }) =>
          createModelProvider(
            { id: 'mine', displayName: 'Mine', api: 'openai', baseUrl, models: [{ id: 'stand-in' }] },
            // Pauses between attempts are over at once; the limits of minutes stay.
            {
              timers: { after: (delayMs, done) => timers.after(delayMs < 300_000 ? 0 : delayMs, done) },
              environment: {},
              keyFolder: join(this.folder, 'keys'),
            },
          ),
      ],
      roots: [this.folder],
      defaultDirectory: this.project,
      customizations: { userFolder: join(this.folder, 'user') },
      mcpServers: { test: { command: process.execPath, args: [MCP_PROGRAM] } },
      terminals: { keeper: false, shell: '/bin/bash', env: { HOME: this.folder, PS1: '$ ', HISTFILE: '' } },
      listen: { port: 0, token: 'model-host' },
    });
    this.#host = host;
    const address = await host.start();
    if (address === undefined) throw new Error('the host does not listen');
    const connected = (name: string): Promise<AhpClient> =>
      connect(address.wsUrl, { token: 'model-host', clientInfo: { name, version: '1' } });
    this.#asking = await connected('asking');
    this.#watching = await connected('watching');
    return this;
  }

  /** Writes a file below the folder of the test. */
  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text, { mode });
  }

  get watching(): AhpClient {
    if (this.#watching === undefined) throw new Error('the host is down');
    return this.#watching;
  }

  /** A new session of the agent. */
  async session(config: Record<string, unknown> = {}): Promise<SessionHandle> {
    if (this.#asking === undefined) throw new Error('the host is down');
    return this.#asking.sessions.create({
      provider: 'mine',
      workingDirectories: [pathToFileURL(this.project).href],
      config,
    });
  }

  /** The model calls these tools at once, and then answers. `when`: a part of the message that it does so for. */
  plays(when: string, calls: readonly (readonly [name: string, input: object])[], then: string): void {
    const toolCalls = calls.map(([name, input]): ToolCall => ({ name, arguments: JSON.stringify(input) }));
    this.mock.on({ userMessage: when, hasToolResult: false }, { content: 'Let me see. ', toolCalls });
    this.mock.on({ userMessage: when, hasToolResult: true }, { content: then });
  }

  /** The requests that the model got, oldest first. */
  get requests(): ChatCompletionRequest[] {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- this API is the one whose form the stand-in keeps
    return this.mock.getRequests().flatMap(({ body }) => (body ? [body as ChatCompletionRequest] : []));
  }

  /** The texts of one role in the last request. */
  heard(role: ChatMessage['role']): string[] {
    return (this.requests.at(-1)?.messages ?? []).filter((each) => each.role === role).map(textOf);
  }

  async stop(): Promise<void> {
    this.#asking?.close();
    this.#watching?.close();
    await this.#host?.stop();
    await this.mock.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Follows a turn to its end, and answers its questions. */
export async function ended(prompt: Prompt, answer: Answer = () => undefined): Promise<Turn> {
  for await (const event of prompt)
    if (event.type === 'confirmation' || event.type === 'inputRequest') await answer(event);
  return prompt.result;
}

/** The tool calls of a turn. */
export const callsOf = (turn: Pick<Turn, 'responseParts'>): ToolCallState[] =>
  turn.responseParts.flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []));

/** What became of the calls of a turn. */
export const outcomesOf = (turn: Turn): unknown[] =>
  callsOf(turn).map((call) => [call.toolName, call.status, 'success' in call ? call.success : undefined]);

/** All Markdown of a turn. */
export const markdownOf = (turn: Pick<Turn, 'responseParts'>): string =>
  turn.responseParts.map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
