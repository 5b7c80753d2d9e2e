import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ChangesetState, ChatState, SessionState } from '@agenthost/protocol';
import { SeededRandom, turnStarted } from '@agenthost/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RudeClient } from '../hostile/rude-client.ts';
import { removeFolder } from '../remove-folder.ts';
import { HostProcess } from './host-process.ts';

const SESSION = 'ahp-session:/one';
const CHANGES = `ahp-changeset:/session/${encodeURIComponent(SESSION)}`;
const FILES = 30;
const ROUNDS = 2;
/** Time in which a host computes a changeset, on a busy machine too. */
const PATIENCE_MS = 60_000;
const POLL_MS = 50;
/** An operation is killed within this time after it has begun to write. */
const KILL_MS = 20;

/** Contents by name. Executable files have a mark. */
type Tree = ReadonlyMap<string, string>;

class Stage {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-changesets-')));
  readonly work = join(this.base, 'work');
  readonly random = new SeededRandom(1);
  readonly host: HostProcess;
  #client: RudeClient | undefined;
  #chat = '';
  #turns = 0;

  constructor(isGit: boolean) {
    mkdirSync(this.work);
    for (let index = 0; index < FILES; index += 1) this.#write(index, 'start');
    if (isGit) {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: this.work });
      git('init', '-q');
      git('add', '-A');
      git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-q', '-m', 'x');
    }
    this.host = new HostProcess(join(this.base, 'data'), this.work);
    onTestFinished(async () => {
      await this.#client?.close();
      await this.host.stop();
      await removeFolder(this.base);
    });
  }

  #write(index: number, text: string): void {
    const path = join(this.work, `file-${index}`);
    writeFileSync(path, `${index} ${text}\n`.repeat(300));
    chmodSync(path, text.length % 2 === 0 ? 0o755 : 0o644);
  }

  get files(): Tree {
    const names = readdirSync(this.work)
      .filter((name) => name.startsWith('file-'))
      .toSorted();
    return new Map(
      names.map((name) => {
        const path = join(this.work, name);
        const mark = (statSync(path).mode & 0o100) === 0 ? '' : 'x ';
        return [name, `${mark}${readFileSync(path, 'utf8')}`];
      }),
    );
  }

  /** Checks that each file is whole. */
  expectWhole(): void {
    for (const [name, text] of this.files)
      expect(new Set(text.replace(/^x /, '').split('\n').slice(0, -1)).size, name).toBe(1);
  }

  async start(): Promise<void> {
    await this.host.start();
    this.#client = await RudeClient.connect(this.host.address);
    await this.#client.initialize('one');
    const params = {
      channel: SESSION,
      provider: 'demo',
      workingDirectories: [pathToFileURL(this.work).href],
    };
    if (this.#chat === '') await this.#ask('createSession', params);
    const session = await this.#state<SessionState>(SESSION);
    this.#chat = session.defaultChat ?? '';
  }

  async kill(): Promise<void> {
    await this.host.kill();
    await this.#client?.close();
  }

  /** Begins a turn, and edits files while it runs. */
  async turn(edits: number): Promise<void> {
    this.#turns += 1;
    const turnId = `turn-${this.#turns}`;
    this.#client?.dispatch(this.#chat, turnStarted(turnId, 'stream 1000000 every 5'));
    await this.until(async () => {
      const { activeTurn } = await this.#state<ChatState>(this.#chat);
      return (activeTurn?.responseParts.length ?? 0) > 0 && this.#isStartRecorded(turnId);
    });
    for (let edit = 0; edit < edits; edit += 1) {
      const index = this.random.int(FILES + 10);
      if (this.random.int(6) === 0) rmSync(join(this.work, `file-${index}`), { force: true });
      else this.#write(index, `turn ${this.#turns} ${'.'.repeat(this.random.int(2))}`);
    }
  }

  /** Whether the snapshot at the start of a turn is complete. An agent does not wait for one that takes long. */
  #isStartRecorded(turnId: string): boolean {
    const trees = join(this.base, 'data', 'trees');
    const names = existsSync(trees) ? readdirSync(trees, { recursive: true, encoding: 'utf8' }) : [];
    return names.some(
      (name) =>
        /open\/[^/]+\.json$/.test(name) && readFileSync(join(trees, name), 'utf8').includes(`"${turnId}"`),
    );
  }

  async endTurn(): Promise<void> {
    const turnId = `turn-${this.#turns}`;
    this.#client?.dispatch(this.#chat, { type: 'chat/turnCancelled', turnId, duration: 0 });
    await this.until(async () => (await this.#state<ChatState>(this.#chat)).activeTurn === undefined);
  }

  /** Invokes an operation. */
  async invoke(channel: string, operationId: string): Promise<void> {
    await this.#ask('invokeChangesetOperation', { channel, operationId });
  }

  /**
   * Invokes an operation, and kills the host while it writes files, or shortly afterwards. Starts the host again, which has carried it out,
   * says that it failed, or has changed nothing. `isDone`: whether the present files are those of a complete operation.
   */
  async interrupt(channel: string, operationId: string, isDone: () => boolean): Promise<'whole' | 'partly'> {
    const before = this.files;
    const written = new Promise<void>((resolve) => {
      const watcher = watch(this.work, () => {
        watcher.close();
        resolve();
      });
    });
    const answered = this.#client?.request('invokeChangesetOperation', { channel, operationId });
    await Promise.race([answered, written]);
    await delay(this.random.int(KILL_MS));
    await this.kill();
    this.expectWhole();
    const isUntouched = JSON.stringify([...this.files]) === JSON.stringify([...before]);
    const isWhole = isUntouched || isDone();
    await this.start();
    const { operations = [] } = await this.settled(channel);
    expect(operations.filter(({ status }) => status === 'running')).toEqual([]);
    const told = operations.find(({ id }) => id === operationId);
    if (!isWhole) expect(told).toMatchObject({ status: 'error', error: { errorType: 'hostRestarted' } });
    return isWhole ? 'whole' : 'partly';
  }

  /** The state of a changeset that is computed. */
  async settled(channel: string): Promise<ChangesetState> {
    let state: ChangesetState | undefined;
    await this.until(async () => {
      state = await this.#state<ChangesetState>(channel);
      return state.status === 'ready';
    });
    if (state === undefined) throw new Error(`no state of ${channel}`);
    return state;
  }

  async changes(): Promise<ChangesetState> {
    return this.#state<ChangesetState>(CHANGES);
  }

  /** The changeset of the newest turn but one. */
  get earlierTurn(): string {
    return `ahp-changeset:/turn/${encodeURIComponent(SESSION)}/turn-${this.#turns - 1}`;
  }

  /** Checks that the changeset of the session is the difference between the first state and the disk, with readable versions. */
  async expectComplete(start: Tree): Promise<void> {
    const now = this.files;
    const expected = [...new Set([...start.keys(), ...now.keys()])]
      .filter((name) => start.get(name) !== now.get(name))
      .toSorted();
    let shown: ChangesetState | undefined;
    const namesOf = ({ files }: ChangesetState): string[] => files.map(({ id }) => basename(id)).toSorted();
    await this.until(async () => {
      shown = await this.changes();
      return shown.status === 'ready' && JSON.stringify(namesOf(shown)) === JSON.stringify(expected);
    }).catch(() => expect(shown && namesOf(shown)).toEqual(expected));
    for (const { id, edit } of shown?.files ?? []) {
      expect(await this.#read(edit.before?.content.uri), id).toBe(
        start.get(basename(id))?.replace(/^x /, ''),
      );
      expect(await this.#read(edit.after?.content.uri), id).toBe(now.get(basename(id))?.replace(/^x /, ''));
    }
  }

  async #read(uri: string | undefined): Promise<string | undefined> {
    if (uri === undefined) return undefined;
    return (await this.#ask<{ data: string }>('resourceRead', { channel: 'ahp-root://', uri })).data;
  }

  async #state<S>(channel: string): Promise<S> {
    return (await this.#ask<{ snapshot: { state: S } }>('subscribe', { channel })).snapshot.state;
  }

  async #ask<R>(method: string, params: object): Promise<R> {
    const answer = await this.#client?.request(method, params);
    if (answer?.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer?.result as R;
  }

  async until(isTrue: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(POLL_MS))
      if (await isTrue()) return;
    throw new Error('what was waited for has not happened');
  }
}

describe.each(['in a git repository', 'outside of git'])('%s', (where) => {
  test('[CS-1] [CS-4] [CONN-22] a host that is killed during edits of agents, restores, reverts and undos loses no version, and tells what it has not done', async () => {
    const stage = new Stage(where === 'in a git repository');
    const start = stage.files;
    const counts = { duringTurns: 0, reverts: 0, undos: 0, restores: 0, partly: 0, undone: 0 };
    const isStart = (): boolean => JSON.stringify([...stage.files]) === JSON.stringify([...start]);
    const undoIfOffered = async (channel: string): Promise<void> => {
      const { operations = [] } = await stage.settled(channel);
      if (!operations.some(({ id }) => id === 'undo')) return;
      await stage.invoke(channel, 'undo');
      await stage.expectComplete(start);
      counts.undone += 1;
    };
    await stage.start();
    for (let round = 0; round < ROUNDS; round += 1) {
      // While an agent edits.
      await stage.turn(10 + stage.random.int(15));
      await delay(stage.random.int(300));
      await stage.kill();
      counts.duringTurns += 1;
      await stage.start();
      await stage.expectComplete(start);
      const asOfTurn = stage.files;

      // While a restore writes.
      await stage.turn(25);
      await stage.endTurn();
      await stage.expectComplete(start);
      const earlier = stage.earlierTurn;
      await stage.settled(earlier);
      const isRestored = (): boolean => JSON.stringify([...stage.files]) === JSON.stringify([...asOfTurn]);
      if ((await stage.interrupt(earlier, 'restore', isRestored)) === 'partly') counts.partly += 1;
      counts.restores += 1;
      await stage.expectComplete(start);
      await undoIfOffered(earlier);

      // While a revert or its undoing writes.
      const { operations = [] } = await stage.settled(CHANGES);
      if (round % 2 === 1 && operations.some(({ id }) => id === 'revert')) {
        const before = stage.files;
        await stage.invoke(CHANGES, 'revert');
        const isBack = (): boolean => JSON.stringify([...stage.files]) === JSON.stringify([...before]);
        if ((await stage.interrupt(CHANGES, 'undo', isBack)) === 'partly') {
          counts.partly += 1;
          await stage.invoke(CHANGES, 'undo');
          expect(isBack()).toBe(true);
        }
        counts.undos += 1;
      } else {
        if ((await stage.interrupt(CHANGES, 'revert', isStart)) === 'partly') counts.partly += 1;
        counts.reverts += 1;
      }
      await stage.expectComplete(start);
      await undoIfOffered(CHANGES);
    }
    await stage.invoke(CHANGES, 'revert');
    await stage.until(() => Promise.resolve(isStart()));
    await stage.expectComplete(start);
    expect(counts).toMatchObject({ duringTurns: ROUNDS, restores: ROUNDS, reverts: 1, undos: 1 });
    process.stdout.write(`kill test of changesets, ${where}: ${JSON.stringify(counts)}\n`);
  }, 600_000);
});
