import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { expect } from 'vitest';
import type { InstalledAgent } from '../../scripts/install-agents.ts';
import { agentAbilities } from './agent-abilities.ts';
import { prepareLaunch } from './agent-launch.ts';
import { present, textOf } from './chat-reading.ts';
import { HostProcess } from './host-process.ts';
import {
  recallPrompt,
  remembered,
  type StandInModel,
  startStandInModel,
  toldAgain,
} from './stand-in-model.ts';

// Not under the temp folder: codex refuses a home there.
const runs = join(import.meta.dirname, '..', '..', '.agents', 'runs');

/** One agent's model, host, working directory and two clients. */
export class Stage {
  readonly #installed: InstalledAgent;
  readonly #folder: string;
  #model: StandInModel | undefined;
  #host: HostProcess | undefined;
  #clients: AhpClient[] = [];
  #sessions: SessionHandle[] = [];

  constructor(agent: InstalledAgent) {
    this.#installed = agent;
    this.#folder = join(runs, agent.agent.id);
  }

  get host(): HostProcess {
    return present(this.#host);
  }

  get driverClient(): AhpClient {
    return present(this.#clients[0]);
  }

  /** The client that asks. */
  get driver(): SessionHandle {
    return present(this.#sessions[0]);
  }

  /** The one that watches. */
  get watcher(): SessionHandle {
    return present(this.#sessions[1]);
  }

  file(name: string): string {
    return join(this.#folder, 'work', name);
  }

  async open(): Promise<void> {
    const { agent, command } = this.#installed;
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(join(this.#folder, 'work'), { recursive: true });
    this.#model = await startStandInModel();
    const launch = await prepareLaunch(agent.id, this.#model.url, join(this.#folder, 'agent-home'));
    this.#host = new HostProcess(this.#folder, { agents: { [agent.id]: { command, ...launch } } });
    const { wsUrl, token } = await this.#host.start();
    for (const name of ['driver', 'watcher']) {
      this.#clients.push(await connect(wsUrl, { token, clientInfo: { name, version: '1' } }));
    }
    const [driver, watcher] = this.#clients;
    const session = await present(driver).sessions.create({
      provider: agent.id,
      workingDirectory: pathToFileURL(join(this.#folder, 'work')).href,
    });
    this.#sessions = [session, await present(watcher).sessions.open(session.uri)];
  }

  /** Starts the host again; both clients come back by themselves. */
  async restart(): Promise<void> {
    await this.host.start();
    for (const client of this.#clients) client.reconnectNow();
    await Promise.all(this.#clients.map((client) => client.whenOnline()));
  }

  /** Resolves when both clients hold all that the host has sent so far. */
  async settle(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.ping()));
  }

  /** Asks for the planted words, and checks that they come from where this agent keeps them. */
  async expectRecall(words: readonly string[]): Promise<void> {
    const turn = await this.driver.prompt(recallPrompt).result;
    expect(turn.state, turn.error?.message).toBe('complete');
    const { resumes } = agentAbilities[this.#installed.agent.id];
    const where = resumes === 'its own session' ? remembered : toldAgain;
    const line = new RegExp(`${where}: ([^.]*)\\.`).exec(textOf(turn))?.[1] ?? textOf(turn);
    expect(line.split(' ')).toEqual(words.map((word) => `KEEPWORD-${word}`));
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.#host?.stop();
    await this.#model?.stop();
  }
}
