import { join } from 'node:path';
import { type ChangesetOperationTarget, conflict, invalidParam, notFound } from '@agenthost/protocol';
import type { Clock } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import type { Git } from '../../workspace/git/git.ts';
import { namePaths } from '../../workspace/git/git-tree.ts';
import { NOTHING_LEFT_OUT } from '../../workspace/snapshots/left-out.ts';
import type { NewRecord } from '../../workspace/snapshots/records.ts';
import { planRangeRevert, planRevert, type RevertPlan } from '../../workspace/snapshots/revert.ts';
import { compose, type TreeChange } from '../../workspace/snapshots/tree-changes.ts';
import type { TurnRecorder } from './recorder.ts';
import { type ChangeSource, countedOf, type FolderSteps } from './source.ts';
import { undoable } from './undoable.ts';
import { subjectOf, type TurnSubject } from './uris.ts';

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly git: Git;
  readonly source: ChangeSource;
  readonly recorder: Pick<TurnRecorder, 'aside'>;
}

/** Takes recorded changes back. Each method resolves with the number of changed files, or changes none and rejects. */
export class Reverts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes back the changes of a changeset: all, or those of a file or a range. */
  async revert(channel: Channel<'changeset'>, target: ChangesetOperationTarget | undefined): Promise<number> {
    const subject = subjectOf(channel.uri);
    if (subject === undefined) throw notFound('changeset', channel.uri);
    const folders = await this.#parts.source.steps(subject);
    const plans: FolderPlan[] = [];
    for (const folder of folders) {
      // Everything on disk is recorded first, so that nothing can get lost.
      await folder.store.snapshot(folder.scope);
      const plan = await this.#plan(folder, target);
      if (plan !== undefined) plans.push({ folder, plan });
    }
    if (target !== undefined && plans.length === 0) throw notFound('change', target.resource);
    return this.#carryOut(channel, plans, 'revert');
  }

  /** Takes back what later turns of the chat have changed, so that the files are as of the end of a turn. */
  async restore(channel: Channel<'changeset'>, subject: TurnSubject): Promise<number> {
    const { source, git } = this.#parts;
    const { chat, folders } = await source.stepsAfter(subject);
    if (chat.state.activeTurn !== undefined)
      throw conflict('Nothing was restored: a turn of this chat is running. Stop it, or wait until it ends');
    const plans: FolderPlan[] = [];
    for (const folder of folders) {
      await folder.store.snapshot(folder.scope);
      plans.push({ folder, plan: await planRevert(git, folder.store, folder.steps) });
    }
    return this.#carryOut(channel, plans, 'revert');
  }

  /** Whether later turns of the chat have changed files. */
  async canRestore(subject: TurnSubject): Promise<boolean> {
    const { folders } = await this.#parts.source.stepsAfter(subject);
    return folders.some(({ steps }) => compose(steps).length > 0);
  }

  /** Whether the last operation of a changeset that wrote files can be undone. */
  async canUndo(uri: string): Promise<boolean> {
    return (await this.#lastReverts(uri)).length > 0;
  }

  /** Writes all plans, unless one has a conflict. */
  async #carryOut(
    channel: Channel<'changeset'>,
    plans: readonly FolderPlan[],
    kind: 'revert' | 'undo',
  ): Promise<number> {
    const conflicts = plans.flatMap(({ plan }) => plan.conflicts);
    if (conflicts.length > 0) throw conflict(conflictText(conflicts));
    const folders = plans.map(({ folder }) => folder);
    return this.#parts.recorder.aside(folders, async () => {
      let count = 0;
      for (const { folder, plan } of plans) count += await this.#write(channel, folder, plan, kind);
      return count;
    });
  }

  /** The plan for a folder. `undefined`: the target is not in it. */
  async #plan(
    folder: FolderSteps,
    target: ChangesetOperationTarget | undefined,
  ): Promise<RevertPlan | undefined> {
    const { git } = this.#parts;
    const { store, steps } = folder;
    if (target === undefined) return planRevert(git, store, steps);
    const change = (await countedOf(folder)).find(({ path, from }) =>
      [path, from].some(
        (each) => each !== undefined && fileUriOf(join(store.root, each)) === target.resource,
      ),
    );
    if (change === undefined) return undefined;
    if (target.kind === 'resource')
      return planRevert(git, store, steps, (path) => path === change.path || path === change.from);
    const { start, end } = target.range;
    const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    const plan = await planRangeRevert(git, store, change, {
      side: target.side ?? 'after',
      first: start.line,
      last,
    });
    if (plan === undefined) throw invalidParam('target', 'no line in this range has changed');
    return plan;
  }

  /** Writes a plan and records it: in the chats whose changes it takes back, and in the changeset, which can undo it. */
  async #write(
    channel: Channel<'changeset'>,
    folder: FolderSteps,
    { plans }: RevertPlan,
    kind: 'revert' | 'undo',
  ): Promise<number> {
    const { clock } = this.#parts;
    const { scope, records } = folder;
    const changes = plans.flatMap(({ path, from, to }): TreeChange[] =>
      from?.id === to?.id && from?.mode === to?.mode
        ? []
        : [{ path, ...(from && { before: from }), ...(to && { after: to }) }],
    );
    if (changes.length === 0) return 0;
    const facts = { kind, session: channel.session ?? '', scope, startedAt: clock.now(), shared: [] };
    const added: NewRecord[] = [];
    for (const chat of [...(await this.#chatsOf(channel)), channel.uri]) {
      const touched = chat === channel.uri ? undefined : await pathsOf(folder, chat);
      const own = changes.filter(({ path }) => touched?.has(path) ?? true);
      if (own.length > 0) added.push({ ...facts, chat, changes: own });
    }
    await records.write(plans, added, () => clock.now());
    return changes.length;
  }

  async #chatsOf(channel: Channel<'changeset'>): Promise<string[]> {
    const session = await this.#parts.sync.registry.openOf('session', channel.session ?? '');
    return (session?.state.chats ?? []).map(({ resource }) => resource);
  }

  /** Brings back what the last revert or restore of a changeset has taken back. */
  async undo(channel: Channel<'changeset'>): Promise<number> {
    const plans: FolderPlan[] = [];
    for (const { folder, changes } of await this.#lastReverts(channel.uri)) {
      await folder.store.snapshot(folder.scope);
      plans.push({ folder, plan: await planRevert(this.#parts.git, folder.store, [changes]) });
    }
    if (plans.length === 0) throw conflict('There is no revert to undo');
    return this.#carryOut(channel, plans, 'undo');
  }

  /** The reverts of a changeset that nothing has followed. Of one whose undoing was interrupted, what is left to undo. */
  async #lastReverts(uri: string): Promise<{ folder: FolderSteps; changes: readonly TreeChange[] }[]> {
    const subject = subjectOf(uri);
    if (subject === undefined) return [];
    const found = (await this.#parts.source.folders(subject)).map(async (folder) => {
      const changes = undoable(await folder.records.list(uri));
      return changes.length > 0
        ? [
            {
              folder: { ...folder, steps: [], shared: new Set<string>(), leftOut: NOTHING_LEFT_OUT },
              changes,
            },
          ]
        : [];
    });
    return (await Promise.all(found)).flat();
  }
}

interface FolderPlan {
  readonly folder: FolderSteps;
  readonly plan: RevertPlan;
}

/** The paths that turns of a chat have changed. */
async function pathsOf({ records }: FolderSteps, chat: string): Promise<ReadonlySet<string>> {
  return new Set((await records.list(chat)).flatMap(({ changes }) => changes.map(({ path }) => path)));
}

const conflictText = (paths: readonly string[]): string =>
  `Nothing was changed: later changes of ${namePaths(paths)} are in the same lines, or cannot be merged as text. Revert other files one by one, or edit the named ones by hand`;
