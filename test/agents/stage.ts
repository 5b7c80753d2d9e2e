import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { errorOf } from '@agenthost/protocol';
import { expect } from 'vitest';
import type { InstalledAgent } from '../../scripts/install-agents.ts';
import { removeFolder } from '../remove-folder.ts';
import { agentAbilities } from './agent-abilities.ts';
import { prepareLaunch } from './agent-launch.ts';
import { present, textIn, textOf } from './chat-reading.ts';
import { HostProcess } from './host-process.ts';
import { ModelProcess } from './model-process.ts';
import { greeting, recallPrompt, remembered, toldAgain } from './stand-in-model.ts';

// Not in the temp folder: codex refuses a home there.
const runs = join(import.meta.dirname, '..', '..', '.agents', 'runs');

/** One agent's model, host, working directory and two clients. */
export class Stage {
  readonly #installed: InstalledAgent;
  readonly #folder: string;
  readonly #config: object;
  #model: ModelProcess | undefined;
  #host: HostProcess | undefined;
  #clients: AhpClient[] = [];
  #sessions: SessionHandle[] = [];

  /** `name` identifies the stage when an agent has more than one. `config`: more of the host's config file. */
  constructor(agent: InstalledAgent, name?: string, config: object = {}) {
    this.#installed = agent;
    this.#config = config;
    this.#folder = join(runs, name === undefined ? agent.agent.id : `${agent.agent.id}-${name}`);
  }

  get host(): HostProcess {
    return present(this.#host);
  }

  get driverClient(): AhpClient {
    return present(this.#clients[0]);
  }

  /** The client that sends prompts. */
  get driver(): SessionHandle {
    return present(this.#sessions[0]);
  }

  /** The client that watches. */
  get watcher(): SessionHandle {
    return present(this.#sessions[1]);
  }

  file(name: string): string {
    return join(this.#folder, 'work', name);
  }

  async open(): Promise<void> {
    const { agent, command } = this.#installed;
    await removeFolder(this.#folder);
    await mkdir(join(this.#folder, 'work'), { recursive: true });
    this.#model = await ModelProcess.start();
    const launch = await prepareLaunch(agent.id, this.#model.url, join(this.#folder, 'agent-home'));
    this.#host = new HostProcess(this.#folder, {
      ...this.#config,
      agents: { [agent.id]: { command, ...launch } },
    });
    const { wsUrl, token } = await this.#host.start();
    for (const name of ['driver', 'watcher']) {
      this.#clients.push(await connect(wsUrl, { token, clientInfo: { name, version: '1' } }));
    }
    const [driver, watcher] = this.#clients;
    const wanted = {
      provider: agent.id,
      workingDirectories: [pathToFileURL(join(this.#folder, 'work')).href],
    };
    // After the first run of an agent its modes are settings of each session, as in daily use.
    const first = await present(driver).sessions.create(wanted);
    await first.prompt('hello').result;
    await present(driver).sessions.dispose(first.uri);
    const session = await present(driver).sessions.create(wanted);
    this.#sessions = [session, await present(watcher).sessions.open(session.uri)];
  }

  /** Starts the host again. Resolves when both clients have reconnected. */
  async restart(): Promise<void> {
    await this.host.start();
    for (const client of this.#clients) client.reconnectNow();
    await Promise.all(this.#clients.map((client) => client.whenOnline()));
  }

  /** Resolves when both clients hold all that the host has sent so far. */
  async settle(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.ping()));
  }

  /** Asks for the planted words, and checks that the agent took them from the source that its abilities name. */
  async expectRecall(words: readonly string[]): Promise<void> {
    const turn = await this.driver.prompt(recallPrompt).result;
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    const planted = words.map((word) => `KEEPWORD-${word}`).join(' ');
    const { resumes } = agentAbilities[this.#installed.agent.id];
    const accepted = resumes === 'resumes its own session' ? [remembered] : [remembered, toldAgain];
    const answers = accepted.map((where) => `${where}: ${planted}.`);
    expect(
      answers.some((answer) => textOf(turn).includes(answer)),
      `${textOf(turn)} has one of ${answers.join(' ')}`,
    ).toBe(true);
    // An agent that replays its session must not add it to the transcript again.
    expect(textOf(turn)).not.toContain(greeting);
  }

  /** Evidence for a failure: the end of the host's log, and the open turn. */
  async evidence(): Promise<string> {
    const log = (await textIn(join(this.#folder, 'data', 'agenthost.log'))) ?? 'no log';
    const { activeTurn, turns } = this.driver.chat.mirror.confirmed;
    return [
      ...log.trimEnd().split('\n').slice(-10),
      this.host.log.slice(-1_000),
      `clients: ${this.#clients.map(({ status }) => status.state).join(', ')}`,
      `turns: ${turns.length}; open: ${JSON.stringify(activeTurn)?.slice(0, 1_000) ?? 'none'}`,
    ].join('\n');
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.#host?.stop();
    await this.#model?.stop();
  }
}
