import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  type ChangesetFile,
  type ChangesetOperation,
  type ChangesetState,
  reduceMirrored,
} from '@agenthost/protocol';
import { onTestFinished } from 'vitest';
import { gitEnvironment } from '../src/workspace/git/environment-fixture.ts';
import { type FixtureOptions, HostFixture } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

export const CHANGES_OF_SESSION = 'ahp-changeset:/session/ahp-session%3A%2Fone';
export const UNCOMMITTED = 'ahp-changeset:/uncommitted/ahp-session%3A%2Fone';
const SESSION = 'ahp-session:/one';

/** A host with a data folder and one session, which works in a real folder with the real git. */
export class ChangesetFixture {
  readonly path = mkdtempSync(join(tmpdir(), 'changesets-'));
  readonly tree = join(this.path, 'tree');
  readonly host: HostFixture;

  private constructor(options: FixtureOptions) {
    mkdirSync(this.tree);
    this.host = new HostFixture({
      ...options,
      dataDir: join(this.path, 'data'),
      roots: [this.path],
      defaultDirectory: this.tree,
    });
  }

  static async start(
    prepare: (fixture: ChangesetFixture) => void = () => undefined,
    options: FixtureOptions = {},
  ): Promise<ChangesetFixture> {
    const fixture = new ChangesetFixture(options);
    prepare(fixture);
    await fixture.host.start();
    onTestFinished(async () => {
      if (fixture.host.isUp) await fixture.stop();
      rmSync(fixture.path, { recursive: true, force: true });
    });
    return fixture;
  }

  /** Stops the host, whose last git calls take real time. `stepMs`: as in `until`. */
  async stop(stepMs = 0): Promise<void> {
    let isDone = false;
    const stopping = this.host.host.stop().finally(() => {
      isDone = true;
    });
    await this.until(() => isDone, stepMs);
    await stopping;
    await this.host.stop();
  }

  async client(clientId = 'ann'): Promise<RawClient> {
    return this.host.client(clientId);
  }

  async session(client: RawClient): Promise<{ session: string; chat: string }> {
    const uri = { channel: SESSION, workingDirectories: [pathToFileURL(this.tree).href] };
    await client.request('createSession', uri);
    const { state } = await client.subscribe(SESSION);
    if (!('defaultChat' in state) || state.defaultChat === undefined) throw new Error('no default chat');
    await client.subscribe(state.defaultChat);
    await this.host.run();
    return { session: SESSION, chat: state.defaultChat };
  }

  /** Makes the folder a repository with one commit of its files. The host finds the user's name there. */
  commitAll(): void {
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'A');
    this.git('config', 'user.email', 'a@example.org');
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', 'first');
  }

  /**
   * Waits in real time: git runs outside of the simulated clock. `stepMs`: the clock advances by this time at each try, so that changes on disk
   * are reported.
   */
  async until(isTrue: () => boolean, stepMs = 0): Promise<void> {
    for (let tries = 0; tries < 3_000; tries += 1) {
      if (this.host.isUp) await (stepMs === 0 ? this.host.run() : this.host.advance(stepMs));
      if (isTrue()) return;
      await sleep(5);
    }
    throw new Error('what was waited for has not happened');
  }

  /** Runs a turn in which the agent does `work`, and waits for its record. */
  async turn(client: RawClient, chat: string, id: string, work: () => void): Promise<void> {
    await this.begin(client, chat, id);
    work();
    await this.complete();
  }

  async begin(client: RawClient, chat: string, id: string): Promise<void> {
    const count = this.host.agent.turns.length;
    client.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: id,
      startedAt: new Date(0).toISOString(),
      message: { text: id, origin: { kind: 'user' } },
    });
    await this.until(() => this.host.agent.turns.length > count);
  }

  /** Ends the newest turn. */
  async complete(): Promise<void> {
    this.host.agent.turn.complete();
    await this.host.run();
    await sleep(50);
    await this.host.run();
  }

  /** Sends a request whose answer takes real time. */
  async ask<R>(client: RawClient, method: string, params: object): Promise<R> {
    const id = client.ask(method, params);
    await this.until(() => client.answerTo(id) !== undefined);
    return client.answered<R>(id);
  }

  /** Subscribes to a changeset. */
  async watch(client: RawClient, uri: string): Promise<WatchedChangeset> {
    const { snapshot } = await this.ask<{ snapshot: { state: ChangesetState; fromSeq: number } }>(
      client,
      'subscribe',
      { channel: uri },
    );
    return new WatchedChangeset(this, client, uri, snapshot);
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.tree,
      encoding: 'utf8',
      env: gitEnvironment(this.path),
    });
  }
}

/** The state of a changeset as a client sees it. */
export class WatchedChangeset {
  readonly #fixture: ChangesetFixture;
  readonly #client: RawClient;
  readonly #uri: string;
  readonly #start: { readonly state: ChangesetState; readonly fromSeq: number };

  constructor(
    fixture: ChangesetFixture,
    client: RawClient,
    uri: string,
    start: { readonly state: ChangesetState; readonly fromSeq: number },
  ) {
    this.#fixture = fixture;
    this.#client = client;
    this.#uri = uri;
    this.#start = start;
  }

  get state(): ChangesetState {
    return this.states.at(-1) ?? this.#start.state;
  }

  /** All states so far, oldest first. */
  get states(): ChangesetState[] {
    let { state } = this.#start;
    const later = this.#client
      .envelopes(this.#uri)
      .filter(
        ({ serverSeq, rejectionReason }) => serverSeq > this.#start.fromSeq && rejectionReason === undefined,
      )
      .map(({ action }) => (state = reduceMirrored('changeset', state, action)));
    return [this.#start.state, ...later];
  }

  /** Changed files: the last segment of each URI, with its counts. */
  get names(): string[] {
    return this.state.files.map(
      ({ id, edit }) => `${id.slice(id.lastIndexOf('/') + 1)} +${edit.diff?.added} -${edit.diff?.removed}`,
    );
  }

  file(name: string): ChangesetFile {
    const file = this.state.files.find(({ id }) => id.endsWith(`/${name}`));
    if (file === undefined) throw new Error(`no change of ${name}`);
    return file;
  }

  /** Waits until these files are shown and nothing is computed. */
  shows(...names: string[]): Promise<void> {
    return this.showsSoon(names, 0);
  }

  /** As `shows`, while the clock advances by `stepMs` at each try. */
  async showsSoon(names: readonly string[], stepMs: number): Promise<void> {
    const isShown = (): boolean =>
      this.state.status === 'ready' && JSON.stringify(this.names) === JSON.stringify(names);
    await this.#fixture.until(isShown, stepMs).catch(() => {
      throw new Error(
        `shows ${this.state.status} ${JSON.stringify(this.names)} ${JSON.stringify(this.state.error)}`,
      );
    });
  }

  operation(id: string): ChangesetOperation | undefined {
    return this.state.operations?.find((each) => each.id === id);
  }

  async invoke(
    operationId: string,
    target?: object,
    input?: Readonly<Record<string, unknown>>,
  ): Promise<{ message?: unknown }> {
    return this.#fixture.ask(this.#client, 'invokeChangesetOperation', {
      channel: this.#uri,
      operationId,
      ...(target && { target }),
      ...(input && { 'x-input': input }),
    });
  }
}
