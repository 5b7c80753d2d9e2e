import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateState } from '@agenthost/protocol/validate-peer';
import { HostProcess } from '../../kill/host-process.ts';
import { removeFolder } from '../../remove-folder.ts';
import { RudeClient } from '../rude-client.ts';
import { Fuzz, type FuzzReport } from './fuzz.ts';
import { type HandshakeReport, playHandshakes } from './handshakes.ts';
import { makeWorld, POLITE, ROOT, stateOf, succeed, type World } from './world.ts';

/** States by channel. */
export type States = ReadonlyMap<string, Record<string, unknown>>;

/** A host in a process of its own with a world in it, and a well-behaved client. */
export class Stage {
  readonly host: HostProcess;
  readonly dataDir: string;
  readonly world: World;
  polite: RudeClient;
  readonly #folder: string;
  #fuzz: Fuzz | undefined;

  private constructor(parts: {
    host: HostProcess;
    dataDir: string;
    folder: string;
    world: World;
    polite: RudeClient;
  }) {
    this.host = parts.host;
    this.dataDir = parts.dataDir;
    this.#folder = parts.folder;
    this.world = parts.world;
    this.polite = parts.polite;
  }

  static async open(): Promise<Stage> {
    // A folder of its own, because clients may know the folder that they work in.
    const folder = await mkdtemp(join(tmpdir(), 'agenthost-fuzz-'));
    const dataDir = await mkdtemp(join(tmpdir(), 'agenthost-data-'));
    const host = new HostProcess(dataDir, folder, ['--no-keeper']);
    await host.start();
    const polite = await RudeClient.connect(host.address);
    await polite.initialize(POLITE);
    const world = await makeWorld(polite, folder);
    return new Stage({ host, dataDir, folder, world, polite });
  }

  async play(seed: number, count: number, onlyInvalid: boolean): Promise<FuzzReport> {
    const fuzz = new Fuzz(this.host.address, this.world, seed, this.dataDir);
    this.#fuzz = fuzz;
    try {
      return await fuzz.play(0, count, onlyInvalid);
    } finally {
      fuzz.close();
      this.polite.answers.length = 0;
    }
  }

  /** Plays handshakes, each on a connection of its own. */
  handshakes(seed: number, count: number): Promise<HandshakeReport> {
    return playHandshakes(this.host.address, this.world, { seed, count, dataDir: this.dataDir });
  }

  /** The current states of these channels. */
  async states(channels: readonly string[]): Promise<States> {
    const states = new Map<string, Record<string, unknown>>();
    for (const channel of channels) states.set(channel, await stateOf(this.polite, channel));
    return states;
  }

  /** The states of all sessions and their chats. */
  async everything(): Promise<{ sessions: States; chats: States }> {
    const { items }: { items: { resource: string }[] } = JSON.parse(
      JSON.stringify(await succeed(this.polite, 'listSessions', { channel: ROOT })),
    );
    const sessions = await this.states(items.map(({ resource }) => resource));
    const chats = [...sessions.values()].flatMap(({ chats: entries }) => JSON.parse(JSON.stringify(entries)));
    return {
      sessions,
      chats: await this.states(chats.map(({ resource }: { resource: string }) => resource)),
    };
  }

  /** Violations of the schema in these states. */
  misfits(kind: 'session' | 'chat', states: States): string[] {
    return [...states].flatMap(([channel, state]) => {
      const checked = validateState(kind, state);
      return checked.ok ? [] : [`${channel}: ${checked.error}`];
    });
  }

  /** Kills the host with SIGKILL and starts a new one on the same data. */
  async restart(): Promise<void> {
    await this.polite.close();
    await this.host.kill();
    await this.host.start();
    this.polite = await RudeClient.connect(this.host.address);
    await this.polite.initialize(POLITE);
  }

  /** Runs a turn in a new session to its end. Rejects or never resolves when the host no longer works. */
  async work(id: string): Promise<void> {
    const channel = `ahp-session:/${id}`;
    await succeed(this.polite, 'createSession', { channel, provider: 'demo' });
    const { defaultChat } = await stateOf(this.polite, channel, ({ lifecycle }) => lifecycle === 'ready');
    const chat = String(defaultChat);
    const message = { text: 'say done', origin: { kind: 'user' } };
    this.polite.dispatch(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 'w1',
      message,
    });
    await stateOf(this.polite, chat, ({ turns }) => JSON.stringify(turns).includes('"state":"complete"'));
  }

  /** Resident memory of the host in MiB; 0 on platforms without that information. */
  async residentMiB(): Promise<number> {
    if (process.platform !== 'linux') return 0;
    const status = await readFile(`/proc/${this.host.address.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  async close(): Promise<void> {
    this.#fuzz?.close();
    await this.polite.close();
    await this.host.stop();
    await removeFolder(this.#folder);
    await removeFolder(this.dataDir);
  }
}
