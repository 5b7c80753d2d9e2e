import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach } from 'vitest';
import type { Sample } from '../../bench/measured-host.ts';
import { BenchProcess, measuredHost } from '../../bench/process.ts';
import { newSession, WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import { removeFolder } from '../remove-folder.ts';

const running = new Set<CrowdedHost>();

afterEach(async () => {
  for (const host of running) await host.end();
  running.clear();
});

/** A host in a process of its own, with the same folder and port at each start, and the process of a crowd. Both end with the test. */
export class CrowdedHost {
  readonly crowd = new BenchProcess('../test/load/crowd.ts');
  readonly #folder: string;
  #host: BenchProcess | undefined;
  #port = 0;
  url = '';

  /** The working directory of its sessions. Only the host's data is in it. */
  get folderUri(): string {
    return pathToFileURL(this.#folder).href;
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** `countsWork`: counts the host's work from its first moment on. */
  static async start({ countsWork = false } = {}): Promise<CrowdedHost> {
    const host = new CrowdedHost(await mkdtemp(join(tmpdir(), 'agenthost-crowded-')));
    running.add(host);
    await host.#start(countsWork);
    return host;
  }

  ask<T>(request: object): Promise<T> {
    if (this.#host === undefined) throw new Error('the host is down');
    return this.#host.ask<T>(request);
  }

  sample(): Promise<Sample> {
    return this.ask<Sample>({ kind: 'sample' });
  }

  /** Kills the host with SIGKILL and starts it again. */
  async restart(): Promise<void> {
    await this.#host?.kill();
    await this.#start(false);
  }

  /** Stops the host. Resolves with the size of its database in bytes; the log is gone then. */
  async stop(): Promise<number> {
    await this.#host?.end();
    return (await stat(join(this.#folder, 'data', 'journal.db'))).size;
  }

  async end(): Promise<void> {
    await Promise.all([this.crowd.end(), this.#host?.end()]);
    await removeFolder(this.#folder);
  }

  /**
   * A client with two sessions and subscriptions to five channels, the root included. `hasTurn`: the first chat has had a turn, and the host has
   * nothing more to tell. What it tells while a crowd joins or settles would have reached only some of it.
   */
  async open({ hasTurn = false } = {}): Promise<{
    owner: WireClient;
    chat: string;
    session: string;
    channels: string[];
  }> {
    const owner = await WireClient.connect(this.url, 'owner');
    const first = await newSession(owner, this.folderUri);
    const second = await newSession(owner, this.folderUri);
    const channels = ['ahp-root://', first.session, first.chat, second.session, second.chat];
    for (const channel of channels) await owner.request('subscribe', { channel });
    if (hasTurn) {
      await wireTurn(owner, first.chat, 'list');
      // The list of changesets comes after a look at the repository.
      for (const channel of [first.session, first.chat, second.session]) await hasChangesets(owner, channel);
    }
    return { owner, ...first, channels };
  }

  async #start(countsWork: boolean): Promise<void> {
    const env = countsWork ? { NODE_DISABLE_COMPILE_CACHE: '1' } : {};
    this.#host = measuredHost(env);
    if (countsWork) await this.ask({ kind: 'countWork' });
    const request = {
      kind: 'start',
      folder: this.#folder,
      isShort: false,
      port: this.#port,
      // Also admits connections through a link with another port.
      allowedHosts: ['127.0.0.1'],
    };
    const { url, port } = await this.ask<{ url: string; port: number }>(request);
    this.url = url;
    this.#port = port;
  }
}

/** Resolves when a session or chat lists its changesets. */
async function hasChangesets(client: WireClient, channel: string): Promise<void> {
  for (;;) {
    const { snapshot } = await client.request<{ snapshot: { state: { changesets?: unknown } } }>(
      'subscribe',
      {
        channel,
      },
    );
    if (snapshot.state.changesets !== undefined) return;
    await pause(20);
  }
}

/** Memory of the host after garbage collection. */
export const memoryOf = ({ heapBytes, externalBytes }: Sample): number => heapBytes + externalBytes;

/** The host's state of each channel, in the format of `CrowdState`. */
export async function statesOf(
  client: WireClient,
  channels: readonly string[],
): Promise<Record<string, string[]>> {
  const states: Record<string, string[]> = {};
  for (const channel of channels) {
    const { snapshot } = await client.request<{ snapshot: { state: object } }>('subscribe', { channel });
    states[channel] = [JSON.stringify(snapshot.state)];
  }
  return states;
}
