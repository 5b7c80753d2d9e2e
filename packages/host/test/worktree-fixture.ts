import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type SessionState,
  type SessionWorktree,
  sessionWorktree,
  type WorktreeInfo,
} from '@agenthost/protocol';
import { ChangesetFixture } from './changeset-fixture.ts';
import { ROOT } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const SESSION = 'ahp-session:/one';

/** A host with a data folder, and a git repository in `tree` with one commit on `main`. */
export class WorktreeFixture {
  readonly base: ChangesetFixture;
  readonly client: RawClient;

  private constructor(base: ChangesetFixture, client: RawClient) {
    this.base = base;
    this.client = client;
  }

  static async start(prepare: (base: ChangesetFixture) => void = () => undefined): Promise<WorktreeFixture> {
    const base = await ChangesetFixture.start((fixture) => {
      fixture.git('init', '-q', '-b', 'main');
      for (const [key, value] of [
        ['user.name', 'A'],
        ['user.email', 'a@example.org'],
      ] as const)
        fixture.git('config', key, value);
      writeFileSync(join(fixture.tree, 'a.txt'), 'one\n');
      fixture.git('add', '.');
      fixture.git('commit', '-qm', 'first');
      prepare(fixture);
    });
    return new WorktreeFixture(base, await base.client());
  }

  get tree(): string {
    return this.base.tree;
  }

  /** The folder for worktrees. */
  get worktrees(): string {
    return join(this.base.path, 'data', 'worktrees');
  }

  /** Names of what is in the folder for worktrees. */
  get made(): string[] {
    try {
      return readdirSync(this.worktrees);
    } catch {
      return [];
    }
  }

  /** Creates a session in a worktree and waits until its creation has ended. */
  async session(
    options: { uri?: string; config?: Record<string, unknown>; folder?: string; client?: RawClient } = {},
  ): Promise<SessionState> {
    const { uri = SESSION, config = {}, folder = this.tree, client = this.client } = options;
    await this.base.ask(client, 'createSession', {
      channel: uri,
      workingDirectories: [pathToFileURL(folder).href],
      config: { isolation: 'worktree', ...config },
    });
    await client.subscribe(uri);
    await this.base.until(() => this.state(uri).lifecycle !== 'creating');
    await this.base.until(() => this.state(uri).lifecycle === 'failed' || this.facts(uri) !== undefined);
    return this.state(uri);
  }

  state(uri = SESSION): SessionState {
    const session = this.base.host.host.core.sync.registry.getOf('session', uri);
    if (session === undefined) throw new Error(`no session ${uri}`);
    return session.state;
  }

  facts(uri = SESSION): SessionWorktree | undefined {
    return sessionWorktree(this.state(uri));
  }

  /** Absolute path of a session's working directory. */
  folder(uri = SESSION): string {
    return fileURLToPath(this.state(uri).workingDirectories?.[0] ?? '');
  }

  async list(): Promise<WorktreeInfo[]> {
    const { items } = await this.base.ask<{ items: WorktreeInfo[] }>(this.client, 'x-listWorktrees', {
      channel: ROOT,
    });
    return items;
  }

  /** Waits until the host has no worktree. */
  async emptied(): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) if ((await this.list()).length === 0) return;
    throw new Error('the host has worktrees still');
  }

  /** Calls a command of the worktree of a session. Resolves with its message; rejects as the host does. */
  async call(method: string, params: object = {}): Promise<string> {
    const id = (await this.list())[0]?.id ?? '';
    const { message } = await this.base.ask<{ message: string }>(this.client, method, {
      channel: ROOT,
      id,
      ...params,
    });
    return message;
  }

  /** Removes a session, and waits until its worktree is no longer its own. */
  async dispose(uri = SESSION): Promise<void> {
    await this.base.ask(this.client, 'disposeSession', { channel: uri });
    for (;;) {
      const items = await this.list();
      if (items.every(({ session }) => session !== uri)) return;
    }
  }

  /** Stops the host and starts it again on its durable data. */
  async restarted(): Promise<WorktreeFixture> {
    for (const turn of this.base.host.agent.turns) turn.complete();
    await this.base.stop();
    await this.base.host.start();
    return this.reconnected();
  }

  /** The same files with a new connection. */
  async reconnected(): Promise<WorktreeFixture> {
    return new WorktreeFixture(this.base, await this.base.client('next'));
  }

  /** Runs git in a folder; in the repository if none is given. */
  git(args: string[], cwd = this.tree): string {
    return execFileSync('git', args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: this.base.path,
        GIT_CONFIG_NOSYSTEM: '1',
      },
    }).trim();
  }

  /** Writes a file in a folder. */
  write(folder: string, name: string, text: string): void {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }

  /** Writes a file in a folder, and commits it. */
  commit(folder: string, name: string, text: string): void {
    this.write(folder, name, text);
    this.git(['add', '.'], folder);
    this.git(['commit', '-qm', `change ${name}`], folder);
  }
}
