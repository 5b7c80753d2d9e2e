import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnParts } from '../../turns/parts.ts';
import type { StatusEntry } from '../../workspace/git/status.ts';
import { type LeftOut, NOTHING_LEFT_OUT, named, together } from '../../workspace/snapshots/left-out.ts';
import type { ChangeRecord } from '../../workspace/snapshots/records.ts';
import { type CountedChange, compose, type TreeChange } from '../../workspace/snapshots/tree-changes.ts';
import type { Folders, RecordedFolder } from './folders.ts';
import type { TurnRecorder } from './recorder.ts';
import type { ChangesetSubject, TurnSubject } from './uris.ts';

/** The changes of one folder, in steps that follow on each other. */
export interface FolderSteps extends RecordedFolder {
  readonly steps: readonly (readonly TreeChange[])[];
  /** Paths that another turn may have changed. */
  readonly shared: ReadonlySet<string>;
  /** Files that may have changed and are in no step. */
  readonly leftOut: LeftOut;
  /** The status of each path in git. Only the changeset of uncommitted changes has it. */
  readonly status?: ReadonlyMap<string, StatusEntry>;
}

/** The changes of one folder together. */
export interface FolderChanges extends FolderSteps {
  readonly counted: readonly CountedChange[];
}

/** A changeset that cannot be computed now. */
export class NoChangeset extends Error {
  override readonly name = 'NoChangeset';
  readonly errorType: 'notRecorded' | 'noBranch' | 'tooLarge';

  constructor(errorType: NoChangeset['errorType'], message: string) {
    super(message);
    this.errorType = errorType;
  }
}

/** A step of one chat: a record, or the changes of a running turn so far. */
interface Step extends Pick<ChangeRecord, 'changes' | 'shared' | 'leftOut'> {
  readonly turnId?: string;
  readonly endedAt: number;
}

/** Reads the changes that a changeset shows, from the records and from the working trees. */
export class ChangeSource {
  readonly #sync: Sync;
  readonly #folders: Folders;
  readonly #recorder: TurnRecorder;
  readonly #workingDirectoriesOf: TurnParts['workingDirectoriesOf'];

  constructor(parts: {
    readonly sync: Sync;
    readonly folders: Folders;
    readonly recorder: TurnRecorder;
    readonly workingDirectoriesOf: TurnParts['workingDirectoriesOf'];
  }) {
    this.#sync = parts.sync;
    this.#folders = parts.folders;
    this.#recorder = parts.recorder;
    this.#workingDirectoriesOf = parts.workingDirectoriesOf;
  }

  /** The session that a subject belongs to. `undefined` if there is none. */
  async sessionOf(subject: ChangesetSubject): Promise<Channel<'session'> | undefined> {
    if ('session' in subject) return this.#sync.registry.openOf('session', subject.session);
    const chat = await this.#sync.registry.openOf('chat', subject.chat);
    return chat?.session === undefined ? undefined : this.#sync.registry.openOf('session', chat.session);
  }

  /** The folders that a subject is about. Empty if its session is gone. */
  async folders(subject: ChangesetSubject): Promise<RecordedFolder[]> {
    const session = await this.sessionOf(subject);
    return session === undefined ? [] : this.#foldersOf(session, chatsOf(subject, session));
  }

  /** The changes of each folder, in steps. Rejects with `NoChangeset` and `SnapshotError`. */
  steps(subject: ChangesetSubject): Promise<FolderSteps[]> {
    return this.#steps(subject, { withRunning: true });
  }

  async #steps(subject: ChangesetSubject, options: WithRunning): Promise<FolderSteps[]> {
    const session = await this.sessionOf(subject);
    if (session === undefined) throw new NoChangeset('notRecorded', 'The session is gone');
    const chats = chatsOf(subject, session);
    await Promise.all(chats.map((chat) => this.#recorder.settled(chat)));
    const folders = await this.#foldersOf(session, chats);
    if (subject.kind === 'uncommitted') return Promise.all(folders.map((folder) => uncommitted(folder)));
    if (subject.kind === 'branch') return Promise.all(folders.map((folder) => ofBranch(folder)));
    let isFound = subject.kind === 'session' || subject.kind === 'chat';
    const found = (await this.#recorded(folders, chats, options)).map(({ all, ...folder }): FolderSteps => {
      const steps = select(all, subject);
      isFound ||= steps !== undefined;
      return withSteps(folder, steps ?? []);
    });
    if (!isFound) throw notRecorded();
    return found;
  }

  /** The changes that turns of a chat have made after one of its turns. Rejects as `steps` does. */
  async stepsAfter(
    subject: TurnSubject,
  ): Promise<{ readonly chat: Channel<'chat'>; readonly folders: FolderSteps[] }> {
    const session = await this.sessionOf(subject);
    if (session === undefined) throw new NoChangeset('notRecorded', 'The session is gone');
    for (const uri of chatsOf(subject, session)) {
      await this.#recorder.settled(uri);
      const concerned = await this.#foldersOf(session, [uri]);
      const folders = await this.#recorded(concerned, [uri], { withRunning: true });
      const own = folders.flatMap(({ all }) => all.filter(({ turnId }) => turnId === subject.turnId));
      const chat = await this.#sync.registry.openOf('chat', uri);
      if (own.length === 0 || chat === undefined) continue;
      const endedAt = Math.max(...own.map((step) => step.endedAt));
      return {
        chat,
        folders: folders.map(({ all, ...folder }) =>
          withSteps(
            folder,
            all.filter((step) => step.endedAt > endedAt),
          ),
        ),
      };
    }
    throw notRecorded();
  }

  /** The steps of chats in each folder, in order: their records, and the changes of running turns. */
  async #recorded(
    folders: readonly RecordedFolder[],
    chats: readonly string[],
    { withRunning }: WithRunning,
  ): Promise<(RecordedFolder & { readonly all: readonly Step[] })[]> {
    const open = withRunning ? chats : [];
    const progress = (await Promise.all(open.map((chat) => this.#recorder.progress(chat)))).flat();
    return Promise.all(
      folders.map(async (folder) => {
        const recorded = (await Promise.all(chats.map((chat) => folder.records.list(chat)))).flat();
        const running = progress.filter(
          ({ store, scope }) => store === folder.store && scope === folder.scope,
        );
        const all: Step[] = [
          ...recorded.filter(({ scope }) => scope === folder.scope).toSorted((a, b) => a.endedAt - b.endedAt),
          ...running.map((each) => ({ ...each, endedAt: Number.MAX_SAFE_INTEGER })),
        ];
        return { ...folder, all };
      }),
    );
  }

  /** The changes of each folder, with renames and counts of lines. Rejects as `steps` does. */
  async changes(subject: ChangesetSubject): Promise<FolderChanges[]> {
    return withCounts(await this.steps(subject));
  }

  /** As `changes`, without those of running turns. */
  async recorded(subject: ChangesetSubject): Promise<FolderChanges[]> {
    return withCounts(await this.#steps(subject, { withRunning: false }));
  }

  /** The folders of all these chats. */
  async #foldersOf(session: Channel<'session'>, chats: readonly string[]): Promise<RecordedFolder[]> {
    const paths = new Set<string>();
    for (const uri of chats) {
      const chat = await this.#sync.registry.openOf('chat', uri);
      if (chat === undefined) continue;
      try {
        for (const path of await this.#workingDirectoriesOf(session, chat)) paths.add(path);
      } catch {
        // A folder that is gone has no changes to show.
      }
    }
    return this.#folders.of([...paths]);
  }
}

/** Whether the changes of running turns count. */
interface WithRunning {
  readonly withRunning: boolean;
}

const withCounts = (folders: readonly FolderSteps[]): Promise<FolderChanges[]> =>
  Promise.all(folders.map(async (folder) => ({ ...folder, counted: await countedOf(folder) })));

const notRecorded = (): NoChangeset =>
  new NoChangeset('notRecorded', 'The files of this turn were not recorded, or its record was removed');

const withSteps = (folder: RecordedFolder, steps: readonly Step[]): FolderSteps => ({
  ...folder,
  steps: steps.map(({ changes }) => changes),
  shared: new Set(steps.flatMap(({ shared }) => shared)),
  leftOut: together(steps.flatMap(({ leftOut = [] }) => leftOut)),
});

const chatsOf = (subject: ChangesetSubject, session: Channel<'session'>): string[] =>
  'chat' in subject ? [subject.chat] : session.state.chats.map(({ resource }) => resource);

/** The changes of a folder together, with renames and counts. */
export async function countedOf({ store, steps }: FolderSteps): Promise<CountedChange[]> {
  const changes = compose(steps);
  return changes.length === 0 ? [] : store.counted(await store.pairOf(changes));
}

/** The steps that a subject shows. `undefined` if a turn that it names has none. */
function select(all: readonly Step[], subject: ChangesetSubject): readonly Step[] | undefined {
  switch (subject.kind) {
    case 'turn':
    case 'chatTurn': {
      const steps = all.filter(({ turnId }) => turnId === subject.turnId);
      return steps.length === 0 ? undefined : steps;
    }
    case 'compare': {
      const from = all.findLastIndex(({ turnId }) => turnId === subject.from);
      const to = all.findLastIndex(({ turnId }) => turnId === subject.to);
      return from < 0 || to < from ? undefined : all.slice(from + 1, to + 1);
    }
    default:
      return all;
  }
}

async function uncommitted(folder: RecordedFolder): Promise<FolderSteps> {
  const { store, scope } = folder;
  const head = await store.head(scope);
  if (head === undefined) return { ...folder, steps: [], shared: new Set(), leftOut: NOTHING_LEFT_OUT };
  const { tree, skipped } = await store.snapshot(scope);
  const changes = (await store.difference(head.tree, tree, scope)).filter(({ path }) =>
    head.changed.has(path),
  );
  // Git lists a new repository inside of the folder with a slash.
  const leftOut = named(skipped.filter(({ path }) => head.changed.has(path) || head.changed.has(`${path}/`)));
  return { ...folder, steps: [changes], shared: new Set(), leftOut, status: head.changed };
}

async function ofBranch(folder: RecordedFolder): Promise<FolderSteps> {
  const { store, scope } = folder;
  const base = await store.branchBase();
  const head = base === undefined ? undefined : await store.head(scope);
  if (base === undefined || head === undefined)
    throw new NoChangeset('noBranch', 'The repository has no default branch (origin/HEAD, main or master)');
  const committed = await store.difference(base, head.tree, scope);
  const { steps, leftOut } = await uncommitted(folder);
  return { ...folder, steps: [committed, ...steps], shared: new Set(), leftOut };
}
