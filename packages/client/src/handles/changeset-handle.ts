import {
  type ChangesetFile,
  type ChangesetLeftOut,
  type ChangesetOperation,
  type ChangesetOperationTarget,
  type ChangesetStatus,
  type ClientToHostRequests,
  type ErrorInfo,
  findById,
  type InvokeChangesetOperationResult,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { ChannelLost } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { type FileContent, readContent } from './files.ts';

/** The requests of a client that an open changeset makes. */
export interface ChangesetPort {
  request<M extends 'invokeChangesetOperation' | 'resourceRead'>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  /** Resolves when the host has processed everything that was sent before. */
  ping(): Promise<void>;
}

/** A file of a changeset, or its URI before or after the change. */
type FileChoice = URI | ChangesetFile;

/** Lines of one version of a file, counted from 0, both included. */
export interface LineChoice {
  readonly first: number;
  readonly last: number;
  /** The version that the lines are counted in. Default `after`. */
  readonly side?: 'before' | 'after';
}

/** Message and extent of a commit. */
export interface CommitOptions {
  /** Default: the message that the host proposes. */
  readonly message?: string;
  /** Whether unstaged changes are committed too. Default: when nothing is staged. */
  readonly all?: boolean;
  /** Whether the last commit is replaced. Default false. */
  readonly amend?: boolean;
}

/** Values for an operation; see `ChangesetOperation['x-inputs']`. */
export type OperationInput = Readonly<Record<string, string | boolean | undefined>>;

/**
 * An open changeset: its files, and operations on them. Methods that run an operation resolve when it has ended, and reject with the error of
 * the host: -32602 when the changeset does not offer the operation now, and -32011 for a conflict, which changes no file. All clients see the
 * progress in `operations`. Dispose the handle after use.
 */
export class ChangesetHandle {
  readonly mirror: Mirror<'changeset'>;
  readonly #port: ChangesetPort;

  constructor(mirror: Mirror<'changeset'>, port: ChangesetPort) {
    this.mirror = mirror;
    this.#port = port;
  }

  get uri(): URI {
    return this.mirror.uri;
  }

  get files(): readonly ChangesetFile[] {
    return this.mirror.state.files;
  }

  /** Files that may have changed and are not in `files`. Absent: none. */
  get leftOut(): ChangesetLeftOut | undefined {
    return this.mirror.state['x-leftOut'];
  }

  get status(): ChangesetStatus {
    return this.mirror.state.status;
  }

  /** Why the files are not known, with status `error`. */
  get error(): ErrorInfo | undefined {
    return this.mirror.state.error;
  }

  /** The operations that the host offers now. */
  get operations(): readonly ChangesetOperation[] {
    return this.mirror.state.operations ?? [];
  }

  /** An operation by its id. `undefined`: it is not offered now. */
  operation(id: string): ChangesetOperation | undefined {
    return findById(this.operations, id);
  }

  /** The changed file with this id, or with this URI before or after the change. */
  file(uri: URI): ChangesetFile | undefined {
    return (
      findById(this.files, uri) ??
      this.files.find(({ edit }) => edit.after?.uri === uri) ??
      this.files.find(({ edit }) => edit.before?.uri === uri)
    );
  }

  /** Calls `listener` when files, status or operations have changed. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    return this.mirror.onChange(listener);
  }

  /**
   * Resolves when the files are up to date, or when `error` says why they are not known. Rejects with `ChannelLost`, and with `ConnectionLost`
   * when the client is not online.
   */
  async settled(): Promise<void> {
    // The host may have begun to compute them again when they were opened.
    await this.#port.ping();
    for await (const { status } of this.mirror) if (status === 'ready' || status === 'error') return;
    throw new ChannelLost(this.uri);
  }

  /**
   * Reads a version of a file: the bytes, and the text if they are text. Resolves with `undefined` when the file does not exist on that side.
   * Rejects as `Files.read` does; with -32006 when the host has the content no longer.
   */
  async content(file: FileChoice, side: 'before' | 'after'): Promise<FileContent | undefined> {
    const version = (typeof file === 'string' ? this.file(file) : file)?.edit[side];
    return version && readContent(this.#port, version.content.uri);
  }

  /** Runs an operation by its id, on the whole changeset or on a target. */
  invoke(
    operationId: string,
    {
      target,
      input = {},
    }: { readonly target?: ChangesetOperationTarget; readonly input?: OperationInput } = {},
  ): Promise<InvokeChangesetOperationResult> {
    const values = Object.entries(input).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    return this.#port.request('invokeChangesetOperation', {
      channel: this.uri,
      operationId,
      ...defined({ target }),
      ...(values.length > 0 && { 'x-input': Object.fromEntries(values) }),
    });
  }

  /** Takes the changes back: of everything, or of one file. Other changes of the files stay. `undo` brings them back. */
  revert(file?: FileChoice): Promise<InvokeChangesetOperationResult> {
    return this.#onFile('revert', file);
  }

  /** Takes those changes of a file back that touch the given lines. */
  revertLines(file: FileChoice, { first, last, side }: LineChoice): Promise<InvokeChangesetOperationResult> {
    const range = { start: { line: first, character: 0 }, end: { line: last + 1, character: 0 } };
    const target = { kind: 'range' as const, resource: uriOf(file), range, ...defined({ side }) };
    return this.invoke('revert', { target });
  }

  /** Brings back what the last revert or restore through this changeset has taken back. */
  undo(): Promise<InvokeChangesetOperationResult> {
    return this.invoke('undo');
  }

  /** For the changeset of a turn: takes back what later turns of the chat have changed. `undo` brings it back. */
  restore(): Promise<InvokeChangesetOperationResult> {
    return this.invoke('restore');
  }

  /** Marks files as reviewed or not; the mirror shows it at once. `rejected` in a changeset without `capabilities.review`. */
  markReviewed(files: readonly FileChoice[], reviewed: boolean): Promise<DispatchOutcome> {
    const ids = files.flatMap((file) => (typeof file === 'string' ? (this.file(file)?.id ?? []) : file.id));
    return this.mirror.dispatch({ type: 'changeset/filesReviewChanged', files: ids, reviewed });
  }

  /** Stages everything, or one file. Like the methods below it needs the changeset `uncommitted`. */
  stage(file?: FileChoice): Promise<InvokeChangesetOperationResult> {
    return this.#onFile('stage', file);
  }

  /** Unstages everything, or one file. */
  unstage(file?: FileChoice): Promise<InvokeChangesetOperationResult> {
    return this.#onFile('unstage', file);
  }

  /** Commits by the user's git, with its hooks. */
  commit({ message, all, amend }: CommitOptions = {}): Promise<InvokeChangesetOperationResult> {
    return this.invoke('commit', { input: { message, all, amend } });
  }

  push(): Promise<InvokeChangesetOperationResult> {
    return this.invoke('push');
  }

  pull(): Promise<InvokeChangesetOperationResult> {
    return this.invoke('pull');
  }

  fetch(): Promise<InvokeChangesetOperationResult> {
    return this.invoke('fetch');
  }

  /** Puts the uncommitted changes away, until `stashPop`. */
  stash(message?: string): Promise<InvokeChangesetOperationResult> {
    return this.invoke('stash', { input: { message } });
  }

  stashPop(): Promise<InvokeChangesetOperationResult> {
    return this.invoke('stash-pop');
  }

  /** Creates a branch at the present commit and switches to it. */
  createBranch(name: string): Promise<InvokeChangesetOperationResult> {
    return this.invoke('create-branch', { input: { name } });
  }

  switchBranch(name: string): Promise<InvokeChangesetOperationResult> {
    return this.invoke('switch-branch', { input: { name } });
  }

  dispose(): void {
    this.mirror.dispose();
  }

  #onFile(operationId: string, file: FileChoice | undefined): Promise<InvokeChangesetOperationResult> {
    return this.invoke(
      operationId,
      file === undefined ? {} : { target: { kind: 'resource', resource: uriOf(file) } },
    );
  }
}

const uriOf = (file: FileChoice): URI => (typeof file === 'string' ? file : file.id);
