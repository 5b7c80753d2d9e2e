// Random histories of two chats whose turns overlap, of people, and of reverts, compared with a model of the files.
import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ChangesetFile } from '@agenthost/protocol';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  carryOutEdit,
  type Edit,
  edits,
  type ModelFile,
  type TreeState,
  treeAt,
} from '../src/workspace/snapshots/tree-model-fixture.ts';
import { CHANGES_OF_SESSION, ChangesetFixture, type WatchedChangeset } from './changeset-fixture.ts';
import type { PuppetTurn } from './puppet-agent.ts';
import type { RawClient } from './raw-client.ts';

// Each test starts hundreds of git processes.
vi.setConfig({ testTimeout: 1_200_000 });

const RUNS = 2;

/** Edits of an agent. One that announces names its files in a tool call; a shell command does not. */
const work = fc.record({ edits, isAnnounced: fc.boolean() });

/** Turns of one chat or the other, or two that overlap, with edits of people before and while they run. */
const rounds = fc.array(
  fc.record({
    chats: fc.constantFrom('first', 'second', 'both', 'both'),
    before: edits,
    works: fc.tuple(work, work, work, work),
    meanwhile: edits,
  }),
  { minLength: 2, maxLength: 3 },
);

const histories = fc.record({
  start: edits,
  rounds,
  /** The turn that is reverted and restored, of those with a record. */
  chosen: fc.nat(9),
  later: edits,
});

type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

/** `turn` begins a turn in a chat, or ends the running one. */
type Step =
  | { readonly kind: 'turn'; readonly chat: number }
  | {
      readonly kind: 'agent';
      readonly chat: number;
      readonly edits: readonly Edit[];
      readonly isAnnounced: boolean;
    }
  | { readonly kind: 'person'; readonly edits: readonly Edit[] };

function stepsOf({ chats, before, works, meanwhile }: History['rounds'][number]): Step[] {
  const turn = (chat: number): Step => ({ kind: 'turn', chat });
  const agent = (chat: number, at: 0 | 1 | 2 | 3): Step => ({ kind: 'agent', chat, ...works[at] });
  const person: Step = { kind: 'person', edits: before };
  const aside: Step = { kind: 'person', edits: meanwhile };
  if (chats !== 'both') {
    const chat = chats === 'first' ? 0 : 1;
    return [person, turn(chat), agent(chat, 0), aside, agent(chat, 1), turn(chat)];
  }
  return [
    ...[person, turn(0), agent(0, 0), turn(1), agent(1, 1), aside],
    ...[agent(0, 2), turn(0), agent(1, 3), turn(1)],
  ];
}

type Versions = [ModelFile | undefined, ModelFile | undefined];
type Shown = Record<string, Versions>;

/** A turn of the model. */
interface ModelTurn {
  readonly id: string;
  readonly chat: number;
  readonly turn: PuppetTurn;
  readonly start: TreeState;
  readonly announced: Set<string>;
  readonly peers: Set<ModelTurn>;
}

/** A turn with a record, and what the record has. */
interface EndedTurn {
  readonly id: string;
  readonly chat: number;
  readonly changes: Shown;
}

const sameFile = (a: ModelFile | undefined, b: ModelFile | undefined): boolean =>
  a?.hex === b?.hex && a?.mode === b?.mode;

function difference(before: TreeState, after: TreeState): Shown {
  const shown: Shown = {};
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const versions: Versions = [before.get(path), after.get(path)];
    if (!sameFile(...versions)) shown[path] = versions;
  }
  return shown;
}

/** A host with one session and two chats, and the model of what their turns have changed. */
class Stage {
  readonly fixture: ChangesetFixture;
  readonly client: RawClient;
  readonly chats: readonly string[];
  readonly ended: EndedTurn[] = [];
  readonly #running = new Map<number, ModelTurn>();
  #turnCount = 0;

  constructor(fixture: ChangesetFixture, client: RawClient, chats: readonly string[]) {
    this.fixture = fixture;
    this.client = client;
    this.chats = chats;
  }

  get files(): TreeState {
    return treeAt(this.fixture.tree);
  }

  carryOut(all: readonly Edit[]): void {
    for (const edit of all) carryOutEdit(this.fixture.tree, edit);
  }

  async step(step: Step): Promise<void> {
    switch (step.kind) {
      case 'turn':
        return this.#running.has(step.chat) ? this.#end(step.chat) : this.#begin(step.chat);
      case 'agent': {
        const turn = this.#running.get(step.chat);
        const before = this.files;
        this.carryOut(step.edits);
        if (turn !== undefined && step.isAnnounced) await this.#announce(turn, before);
        return undefined;
      }
      case 'person':
        return this.carryOut(step.edits);
      default:
        return step satisfies never;
    }
  }

  async #begin(of: number): Promise<void> {
    this.#turnCount += 1;
    const id = `turn-${this.#turnCount}`;
    await this.fixture.begin(this.client, this.chats[of] ?? '', id);
    const model: ModelTurn = {
      id,
      chat: of,
      turn: this.fixture.host.agent.turn,
      start: this.files,
      announced: new Set(),
      peers: new Set(this.#running.values()),
    };
    for (const peer of model.peers) peer.peers.add(model);
    this.#running.set(of, model);
  }

  /** Names the files that have changed in a tool call. */
  async #announce({ turn, announced }: ModelTurn, before: TreeState): Promise<void> {
    const call = turn.output.toolCall({ toolName: 'write', displayName: 'Write' });
    call.run({ invocationMessage: 'Write' });
    const content = Object.keys(difference(before, this.files)).map((path) => {
      announced.add(path);
      const { href } = pathToFileURL(join(this.fixture.tree, path));
      return { type: 'fileEdit' as const, ...turn.output.fileEdit({ uri: href, after: 'x' }) };
    });
    await call.complete({ success: true, pastTenseMessage: 'Wrote', content });
    await this.fixture.host.run();
  }

  /** Ends the turn of a chat, and compares its record with the model. */
  async #end(of: number): Promise<void> {
    const model = this.#running.get(of);
    if (model === undefined) return;
    const { id, announced, peers, start } = model;
    const isForeign = (path: string): boolean => [...peers].some((peer) => peer.announced.has(path));
    const all = Object.entries(difference(start, this.files));
    const own = all.filter(([path]) => announced.has(path) || !isForeign(path));
    const shared = own.flatMap(([path]) =>
      peers.size > 0 && (!announced.has(path) || isForeign(path)) ? [path] : [],
    );
    model.turn.complete();
    this.#running.delete(of);
    const isOver = (): boolean =>
      this.client
        .envelopes(this.chats[of])
        .some(({ action }) => action.type === 'chat/turnComplete' && action.turnId === id);
    await this.fixture.until(isOver);
    const changes = Object.fromEntries(own);
    await this.#using(turnUri(id), async (changeset) => {
      expect(await this.#shown(changeset.state.files)).toEqual(changes);
      const marked = changeset.state.files.filter(({ _meta }) => _meta?.['isShared'] === true);
      const named = marked.flatMap(({ edit }) => [edit.before?.uri, edit.after?.uri]);
      for (const path of shared) expect(named).toContain(this.#uriOf(path));
    });
    this.ended.push({ id, chat: of, changes });
  }

  /** Subscribes to a changeset for some work. */
  async #using(uri: string, work: (changeset: WatchedChangeset) => Promise<void>): Promise<void> {
    const changeset = await this.fixture.watch(this.client, uri);
    await this.fixture.until(() => changeset.state.status === 'ready');
    await work(changeset);
    this.client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: uri } });
    await this.fixture.host.run();
  }

  /** The versions behind the files of a changeset. A renamed file has two paths. */
  async #shown(files: readonly ChangesetFile[]): Promise<Shown> {
    const shown: Shown = {};
    for (const { edit, _meta } of files) {
      for (const [side, index] of [
        ['before', 0],
        ['after', 1],
      ] as const) {
        const version = edit[side];
        if (version === undefined) continue;
        const { data, encoding } = await this.fixture.ask<{ data: string; encoding: string }>(
          this.client,
          'resourceRead',
          { channel: 'ahp-root://', uri: version.content.uri, encoding: 'base64' },
        );
        expect(encoding).toBe('base64');
        const modes = _meta?.['modes'];
        const mode = typeof modes === 'object' && modes !== null ? Reflect.get(modes, side) : '100644';
        const path = relative(this.fixture.tree, fileURLToPath(version.uri));
        const versions: Versions = shown[path] ?? [undefined, undefined];
        versions[index] = { mode, hex: Buffer.from(data, 'base64').toString('hex') };
        shown[path] = versions;
      }
    }
    return shown;
  }

  /** Takes the changes of a turn back, and brings them back. */
  async revert({ id, changes }: EndedTurn): Promise<void> {
    await this.#tryOut(turnUri(id), 'revert', chained([changes]));
  }

  /** Restores the files as of a turn, and undoes it. */
  async restore(turn: EndedTurn): Promise<void> {
    const own = this.ended.filter((each) => each.chat === turn.chat);
    const steps = own.slice(own.indexOf(turn) + 1).map(({ changes }) => changes);
    await this.#tryOut(turnUri(turn.id), 'restore', chained(steps));
  }

  /** Takes back everything, and brings it back. */
  async revertAll(): Promise<void> {
    await this.#tryOut(CHANGES_OF_SESSION, 'revert', chained(this.ended.map(({ changes }) => changes)));
  }

  /**
   * Runs an operation that takes changes back, and undoes it. It changes no path that they have not changed, and nothing at all if it is refused.
   * Paths that are as the changes have left them get the version before.
   */
  async #tryOut(
    uri: string,
    operation: 'revert' | 'restore',
    { sum: expected, gaps }: Chained,
  ): Promise<void> {
    await this.#using(uri, async (changeset) => {
      const present = this.files;
      if (changeset.operation(operation) === undefined) {
        expect(Object.values(expected).filter((versions) => !sameFile(...versions))).toEqual([]);
        return;
      }
      const refusal = await changeset.invoke(operation).then(
        () => undefined,
        (error: { code?: unknown }) => error.code ?? error,
      );
      const outcome = this.files;
      const isAsLeft = ([path, [, end]]: [string, Versions]): boolean => sameFile(present.get(path), end);
      if (refusal !== undefined) {
        expect(refusal).toBe(-32011);
        expect(outcome).toEqual(present);
        expect(gaps.size === 0 && Object.entries(expected).every(isAsLeft)).toBe(false);
        return;
      }
      for (const path of Object.keys(difference(present, outcome)))
        expect(Object.keys(expected)).toContain(path);
      for (const entry of Object.entries(expected))
        if (isAsLeft(entry) && !gaps.has(entry[0])) expect(outcome.get(entry[0])).toEqual(entry[1][0]);
      if (Object.keys(difference(present, outcome)).length === 0) return;
      await this.fixture.until(() => changeset.operation('undo') !== undefined);
      await changeset.invoke('undo');
      expect(this.files).toEqual(present);
    });
  }

  #uriOf(path: string): string {
    return pathToFileURL(join(this.fixture.tree, path)).href;
  }
}

const turnUri = (id: string): string => `ahp-changeset:/turn/ahp-session%3A%2Fone/${id}`;

/** The changes of several turns together. */
interface Chained {
  /** The first and last version of each path. A path that was as in the beginning in between begins anew. */
  readonly sum: Shown;
  /** Paths that somebody else has changed between two of the turns: taking them back is a merge, which may conflict. */
  readonly gaps: ReadonlySet<string>;
}

function chained(all: readonly Shown[]): Chained {
  const sum: Shown = {};
  const gaps = new Set<string>();
  for (const changes of all)
    for (const [path, [start, after]] of Object.entries(changes)) {
      const [before, end] = sum[path] ?? [start, start];
      if (!sameFile(end, start)) gaps.add(path);
      if (!gaps.has(path) && sameFile(before, after)) delete sum[path];
      else sum[path] = [before, after];
    }
  return { sum, gaps };
}

describe.each(['in a git repository', 'outside of git'])('%s', (where) => {
  test('[CS-1] [CS-4] of random histories each turn has what the model says, and reverts and restores are exact, all or nothing, and undone exactly', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const fixture = await ChangesetFixture.start((each) => {
          for (const edit of history.start) carryOutEdit(each.tree, edit);
          if (where === 'in a git repository') each.commitAll();
        });
        const client = await fixture.client();
        const { session, chat: first } = await fixture.session(client);
        const second = 'ahp-chat:/second';
        await client.request('createChat', { channel: session, chat: second });
        await client.subscribe(second);
        const stage = new Stage(fixture, client, [first, second]);
        for (const step of history.rounds.flatMap(stepsOf)) await stage.step(step);
        const last = stage.ended.at(-1);
        const chosen = stage.ended[history.chosen % stage.ended.length];
        if (last !== undefined && chosen !== undefined) {
          await stage.revert(last);
          await stage.restore(chosen);
          stage.carryOut(history.later);
          await stage.revert(chosen);
          await stage.restore(chosen);
          await stage.revertAll();
        }
        await fixture.stop();
        if (existsSync(fixture.path)) rmSync(fixture.path, { recursive: true });
      }),
      // To make a counterexample smaller would take longer than the limit of a test.
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
