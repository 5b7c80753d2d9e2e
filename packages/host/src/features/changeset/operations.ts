import {
  type ChangesetFile,
  type ChangesetOperation,
  type ChangesetOperationStatusChangedAction,
  type ChangesetOperationTarget,
  conflict,
  type InvokeChangesetOperationParams,
  invalidParam,
  notFound,
  WireError,
} from '@agenthost/protocol';
import { errorText, sameJson } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { countOf } from '../../workspace/git/git-tree.ts';
import { FileChanged } from '../../workspace/snapshots/write-files.ts';
import { type GitOperations, isGitOperation } from './git-operations.ts';
import { checkInputs, type OperationInputs } from './operation-inputs.ts';
import { OperationQueue } from './operation-queue.ts';
import type { Reverts } from './reverts.ts';
import { type ChangesetSubject, isReviewable, subjectOf } from './uris.ts';

const REVERT: ChangesetOperation = {
  id: 'revert',
  label: 'Revert',
  description: 'Takes the changes back. Other changes of the same files stay.',
  scopes: ['changeset', 'resource', 'range'],
  confirmation: 'Revert these changes? The files on disk change. You can undo it afterwards.',
  icon: 'discard',
  status: 'idle',
};

const UNDO: ChangesetOperation = {
  id: 'undo',
  label: 'Undo the revert',
  description: 'Brings back the changes that the last revert or restore has taken back.',
  scopes: ['changeset'],
  icon: 'undo',
  status: 'idle',
};

const RESTORE: ChangesetOperation = {
  id: 'restore',
  label: 'Restore the files as of this turn',
  description: 'Takes back what later turns of the chat have changed. Other changes of the same files stay.',
  scopes: ['changeset'],
  confirmation:
    'Take back what later turns have changed? The files on disk change. You can undo it afterwards.',
  icon: 'history',
  status: 'idle',
};

const REVIEW: readonly ChangesetOperation[] = [
  {
    id: 'mark-reviewed',
    label: 'Mark as reviewed',
    scopes: ['changeset', 'resource'],
    icon: 'check',
    group: 'review',
    status: 'idle',
  },
  {
    id: 'mark-unreviewed',
    label: 'Mark as not reviewed',
    scopes: ['changeset', 'resource'],
    group: 'review',
    status: 'idle',
  },
];

interface Parts {
  readonly sync: Sync;
  readonly log: Log;
  readonly reverts: Reverts;
  readonly gitOperations: GitOperations;
  /** Computes a changeset. */
  compute(channel: Channel<'changeset'>): Promise<void>;
  /** Called when files were written and their changeset shows it. Resolves when other changesets and sessions show it. */
  written(changeset: Channel<'changeset'>, by: 'git' | 'revert'): Promise<void>;
}

interface Invocation {
  readonly operationId: string;
  readonly target: ChangesetOperationTarget | undefined;
  readonly subject: ChangesetSubject;
  readonly inputs: OperationInputs;
}

/** The operations of changesets [CS-4]. */
export class ChangesetOperations {
  readonly #parts: Parts;
  readonly #queue = new OperationQueue();
  /** Calls of `written` that have not ended. */
  readonly #telling = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The statuses of offered operations now: one that runs or waits is running, and the failure of the last run stays until the next one. */
  withStatus(
    { uri, state }: Channel<'changeset'>,
    offered: readonly ChangesetOperation[],
  ): ChangesetOperation[] {
    return offered.map((operation): ChangesetOperation => {
      if (this.#queue.has(uri, operation.id)) {
        this.#queue.note(uri, operation.id, operation.status);
        return { ...operation, status: 'running' };
      }
      const before = state.operations?.find(({ id }) => id === operation.id);
      return before?.status === 'error' && before.error !== undefined && operation.status !== 'disabled'
        ? { ...operation, status: 'error', error: before.error }
        : operation;
    });
  }

  /** The operations that a changeset offers now. */
  async offered(uri: string, subject: ChangesetSubject): Promise<ChangesetOperation[]> {
    const { reverts, gitOperations } = this.#parts;
    if (subject.kind === 'branch') return [];
    const isTurn = subject.kind === 'turn' || subject.kind === 'chatTurn';
    return [
      ...(subject.kind === 'uncommitted' ? await gitOperations.offered(subject) : []),
      REVERT,
      ...(isTurn && (await reverts.canRestore(subject)) ? [RESTORE] : []),
      ...((await reverts.canUndo(uri)) ? [UNDO] : []),
      ...(isReviewable(subject) ? REVIEW : []),
    ];
  }

  /** Runs an operation. Rejects with a wire error as [CS-4] says. */
  async invoke(
    channel: Channel<'changeset'>,
    { operationId, target, 'x-input': given }: InvokeChangesetOperationParams,
  ): Promise<{ message: string }> {
    const subject = subjectOf(channel.uri);
    if (subject === undefined) throw notFound('changeset', channel.uri);
    let operation = operationOf(channel, operationId);
    if ((operation?.status ?? 'disabled') === 'disabled') {
      // The files may have changed since the changeset was computed, also by an operation that runs now.
      await this.#queue.idle(channel.uri);
      await this.#parts.compute(channel);
      operation = operationOf(channel, operationId);
    }
    if (operation === undefined)
      throw invalidParam(
        'operationId',
        `this changeset has no operation ${JSON.stringify(operationId.slice(0, 100))}`,
      );
    if (operation.status === 'disabled') throw invalidParam('operationId', 'the operation is disabled');
    const scope = target?.kind ?? 'changeset';
    if (!operation.scopes.includes(scope))
      throw invalidParam('target', `expected one of ${operation.scopes.join(', ')}, got ${scope}`);
    const inputs = checkInputs(operation, given);
    if (isGitOperation(operationId)) await this.#parts.gitOperations.check({ subject, inputs });
    if (operationId === 'mark-reviewed' || operationId === 'mark-unreviewed')
      return this.#review(channel, target, operationId === 'mark-reviewed');
    if (this.#queue.has(channel.uri, operationId))
      throw conflict('This operation is running: try again when it has ended');
    return this.#run(channel, { operationId, target, subject, inputs });
  }

  #review(
    channel: Channel<'changeset'>,
    target: ChangesetOperationTarget | undefined,
    reviewed: boolean,
  ): { message: string } {
    const files = channel.state.files.flatMap(({ id, edit }) => {
      const uris = [id, edit.before?.uri, edit.after?.uri];
      return target === undefined || uris.includes(target.resource) ? [id] : [];
    });
    if (target !== undefined && files.length === 0) throw notFound('changed file', target.resource);
    this.#parts.sync.transact('client', (tx) =>
      tx.emit(channel, { type: 'changeset/filesReviewChanged', files, reviewed }),
    );
    return { message: `${countOf(files.length, 'file')} marked` };
  }

  /** Runs an operation after those that run or wait. It has ended when its own changeset shows what it did. */
  async #run(channel: Channel<'changeset'>, invocation: Invocation): Promise<{ message: string }> {
    const { sync, compute } = this.#parts;
    const { operationId, target } = invocation;
    const by = isGitOperation(operationId) ? 'git' : 'revert';
    const versions = versionsOf(channel, target);
    const { turn, leave } = this.#queue.enter(channel.uri, operationId);
    const unpin = channel.pin();
    let isWritten = false;
    try {
      sync.transact('client', (tx) =>
        tx.emit(channel, { type: 'changeset/operationStatusChanged', operationId, status: 'running' }),
      );
      await turn;
      // The lines of a range are those of the versions that the client has seen.
      if (target?.kind === 'range' && !sameJson(versionsOf(channel, target), versions))
        throw conflict('Nothing was changed: the operation before this one has changed the file');
      // Git that fails may have done a part of it.
      isWritten = by === 'git';
      const message = await this.#carryOut(channel, invocation);
      isWritten = true;
      await compute(channel);
      this.#status(channel, { operationId, status: leave() });
      return { message };
    } catch (error) {
      // A revert in several folders may have written some of them. A refusal comes before anything is written.
      isWritten ||= !(error instanceof WireError);
      if (isWritten) await compute(channel);
      leave();
      const info = { errorType: 'operationFailed', message: errorText(error) };
      this.#status(channel, { operationId, status: 'error', error: info });
      throw error instanceof FileChanged ? conflict(`${error.message}: look at it and try again`) : error;
    } finally {
      unpin();
      if (isWritten) this.#tell(channel, by);
    }
  }

  /** Lets other changesets and sessions show what an operation did. The answer of the operation does not wait for it. */
  #tell(channel: Channel<'changeset'>, by: 'git' | 'revert'): void {
    const { log, written } = this.#parts;
    const telling = written(channel, by)
      .catch((error: unknown) =>
        log.warn({ error, uri: channel.uri }, 'the changes of an operation are not shown'),
      )
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  /** Resolves when the work after operations has ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#telling);
  }

  async #carryOut(
    channel: Channel<'changeset'>,
    { operationId, target, subject, inputs }: Invocation,
  ): Promise<string> {
    const { reverts, gitOperations } = this.#parts;
    if (isGitOperation(operationId))
      return gitOperations.run({ channel, subject, operationId, target, inputs });
    if (operationId === 'undo') return filesText(await reverts.undo(channel));
    const isTurn = subject.kind === 'turn' || subject.kind === 'chatTurn';
    if (operationId === 'restore' && isTurn) return filesText(await reverts.restore(channel, subject));
    return filesText(await reverts.revert(channel, target));
  }

  #status(
    channel: Channel<'changeset'>,
    status: Pick<ChangesetOperationStatusChangedAction, 'operationId' | 'status' | 'error'>,
  ): void {
    this.#parts.sync.transact('host', (tx) => {
      if (channel.isAlive) tx.emit(channel, { type: 'changeset/operationStatusChanged', ...status });
    });
  }
}

const operationOf = ({ state }: Channel<'changeset'>, id: string): ChangesetOperation | undefined =>
  state.operations?.find((each) => each.id === id);

/** The versions of a target's file that a changeset shows. */
const versionsOf = (
  { state }: Channel<'changeset'>,
  target: ChangesetOperationTarget | undefined,
): ChangesetFile['edit'] | undefined =>
  state.files.find(({ id, edit }) =>
    [id, edit.before?.uri, edit.after?.uri].some((uri) => uri !== undefined && uri === target?.resource),
  )?.edit;

const filesText = (count: number): string => `${countOf(count, 'file')} changed on disk`;
