import { basename, join } from 'node:path';
import {
  type ChangesetFile,
  type ChangesetOperation,
  type ChangesetOperationTarget,
  conflict,
  invalidParam,
  notFound,
} from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import { branchNameProblem, createBranch, switchBranch } from '../../workspace/git/branches.ts';
import { commit, hasCommitContent } from '../../workspace/git/commit.ts';
import { type Git, GitError } from '../../workspace/git/git.ts';
import { GitRefusal } from '../../workspace/git/git-refusal.ts';
import { type GitTree, readLine, stateOf } from '../../workspace/git/git-tree.ts';
import { canPull, canPush, fetch, pull, push } from '../../workspace/git/remotes.ts';
import { findRepository } from '../../workspace/git/repository.ts';
import { stage, unstage } from '../../workspace/git/stage.ts';
import { stash, stashPop } from '../../workspace/git/stash.ts';
import type { UserGit } from '../../workspace/git/user-git.ts';
import type { PrivatePaths } from '../../workspace/private-paths.ts';
import { proposedMessage } from './commit-message.ts';
import type { RecordedFolder } from './folders.ts';
import { type KnownTree, offeredGit } from './offered-git.ts';
import type { OperationInputs } from './operation-inputs.ts';
import type { TurnRecorder } from './recorder.ts';
import type { ChangeSource } from './source.ts';
import type { ChangesetSubject } from './uris.ts';

const OPERATIONS = [
  'stage',
  'unstage',
  'commit',
  'push',
  'pull',
  'fetch',
  'stash',
  'stash-pop',
  'create-branch',
  'switch-branch',
] as const;

/** An operation of git. */
export type GitOperationId = (typeof OPERATIONS)[number];

export const isGitOperation = (id: string): id is GitOperationId => OPERATIONS.some((known) => known === id);

/** Operations that change files of the working tree. */
const CHANGES_FILES: ReadonlySet<GitOperationId> = new Set(['pull', 'stash', 'stash-pop', 'switch-branch']);

/** A commit message is proposed from this many messages at most. */
const MAX_MESSAGES = 20;

interface Parts {
  readonly sync: Sync;
  readonly git: Git;
  readonly userGit: UserGit;
  readonly source: ChangeSource;
  readonly recorder: Pick<TurnRecorder, 'aside'>;
  readonly workspace: { readonly privatePaths: PrivatePaths };
}

/** One call of an operation. */
export interface GitCallOf {
  readonly channel: Channel<'changeset'>;
  readonly subject: ChangesetSubject;
  readonly operationId: GitOperationId;
  readonly target: ChangesetOperationTarget | undefined;
  readonly inputs: OperationInputs;
}

/**
 * The operations of git on the uncommitted changes of a session. A session may have folders in several repositories: staging, commits, pushes,
 * pulls and fetches concern all of them, a file its own one, and branches, stashes and amended commits that of the first folder.
 */
export class GitOperations {
  readonly #parts: Parts;
  /** The last operation of each repository, by the folder of its objects. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The operations that uncommitted changes offer now. Rejects with `GitError`. */
  async offered(subject: ChangesetSubject): Promise<ChangesetOperation[]> {
    const known = await this.#known(subject);
    const [first] = known;
    return first === undefined ? [] : offeredGit(known, await this.#message(subject, first));
  }

  /** Rejects with `-32602` for a value that git would refuse. */
  async check({ subject, inputs }: Pick<GitCallOf, 'subject' | 'inputs'>): Promise<void> {
    const name = inputs.text('name');
    const [first] = name === undefined ? [] : await this.#trees(subject);
    const problem = first && (await branchNameProblem(first.tree, name ?? ''));
    if (problem !== undefined)
      throw invalidParam('x-input.name', `${problem}, got ${JSON.stringify((name ?? '').slice(0, 100))}`);
  }

  /** Runs an operation. Resolves with a text for people. Rejects with a wire error. */
  async run(call: GitCallOf): Promise<string> {
    const trees = await this.#trees(call.subject);
    const folders = trees.flatMap((each) => each.folders);
    try {
      const work = (): Promise<string> => this.#inTurn(trees, () => this.#run(call, trees));
      return await (CHANGES_FILES.has(call.operationId) ? this.#parts.recorder.aside(folders, work) : work());
    } catch (error) {
      if (error instanceof GitRefusal) throw conflict(error.message);
      throw error instanceof GitError ? conflict(`The repository cannot be read: ${error.message}`) : error;
    }
  }

  async #run(
    { channel, operationId, target, inputs }: GitCallOf,
    trees: readonly { readonly tree: GitTree }[],
  ): Promise<string> {
    const [first] = trees;
    if (first === undefined) throw new GitRefusal('refused', 'The repository is gone');
    switch (operationId) {
      case 'stage':
      case 'unstage': {
        const deed = operationId === 'stage' ? stage : unstage;
        if (target === undefined) return forEach(trees, (tree) => deed(tree));
        const { tree, paths } = await fileOf(trees, channel.state.files, target.resource);
        return deed(tree, paths);
      }
      case 'commit': {
        const isAmend = inputs.flag('amend') === true;
        const message = inputs.text('message');
        const isAll = inputs.flag('all');
        const choice = {
          isAmend,
          ...(message !== undefined && { message }),
          ...(isAll !== undefined && { isAll }),
        };
        if (isAmend) return commit(first.tree, choice);
        const proposed = message ?? this.#messageFor(channel);
        const concerned = await filterTrees(trees, (known) => hasCommitContent(known.tree, known.state));
        return forEach(concerned.length === 0 ? [first] : concerned, (tree) =>
          commit(tree, { ...choice, message: proposed }),
        );
      }
      case 'push':
        return forEach(await orFirst(trees, ({ state }) => canPush(state)), push);
      case 'pull':
        return forEach(await orFirst(trees, ({ state }) => canPull(state)), pull);
      case 'fetch':
        return forEach(await orFirst(trees, ({ state }) => state.remotes.length > 0), fetch);
      case 'stash':
        return stash(first.tree, inputs.text('message'));
      case 'stash-pop':
        return stashPop(first.tree);
      case 'create-branch':
        return createBranch(first.tree, inputs.text('name') ?? '');
      case 'switch-branch':
        return switchBranch(first.tree, inputs.text('name') ?? '');
      default:
        operationId satisfies never;
        throw new Error('unknown operation');
    }
  }

  /** Runs work when no other operation of these repositories runs. Repositories are taken in one order, so that two calls cannot block each other. */
  async #inTurn<T>(trees: readonly { readonly tree: GitTree }[], work: () => Promise<T>): Promise<T> {
    const keys = [...new Set(trees.map(({ tree }) => tree.repository.commonDir))];
    const before = keys.map((key) => this.#queues.get(key) ?? Promise.resolve());
    const done = Promise.withResolvers<void>();
    for (const key of keys) this.#queues.set(key, done.promise);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      done.resolve();
      for (const key of keys) if (this.#queues.get(key) === done.promise) this.#queues.delete(key);
    }
  }

  async #known(subject: ChangesetSubject): Promise<KnownTree[]> {
    const trees = await this.#trees(subject);
    return Promise.all(trees.map(async ({ tree }) => ({ tree, state: await stateOf(tree) })));
  }

  /** The repositories of a session, that of its first folder first. */
  async #trees(
    subject: ChangesetSubject,
  ): Promise<{ readonly tree: GitTree; readonly folders: readonly RecordedFolder[] }[]> {
    const { git, userGit, source, workspace } = this.#parts;
    const view = await workspace.privatePaths.look();
    const byRoot = new Map<string, RecordedFolder[]>();
    for (const folder of await source.folders(subject))
      byRoot.set(folder.store.root, [...(byRoot.get(folder.store.root) ?? []), folder]);
    const found = [...byRoot].map(async ([root, folders]) => {
      const repository = await findRepository(root);
      if (repository?.root !== root) return [];
      const tree: GitTree = {
        repository,
        scopes: folders.map(({ scope }) => scope),
        reader: git,
        user: userGit,
        isPrivate: (path) => view.isWithin(path),
        holdsPrivate: (folder) => view.isBelow(folder),
      };
      return [{ tree, folders }];
    });
    return (await Promise.all(found)).flat();
  }

  #messageFor(channel: Channel<'changeset'>): string {
    const input = channel.state.operations
      ?.find(({ id }) => id === 'commit')
      ?.['x-inputs']?.find(({ name }) => name === 'message');
    return typeof input?.default === 'string' ? input.default : 'Update files';
  }

  /** The proposed message of a commit. */
  async #message(subject: ChangesetSubject, { tree, state }: KnownTree): Promise<string> {
    const { source, sync } = this.#parts;
    const session = await source.sessionOf(subject);
    const chats = (session?.state.chats ?? [])
      .filter(({ origin }) => origin === undefined || origin.kind !== 'tool')
      .toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1));
    const chat = chats[0] && (await sync.registry.openOf('chat', chats[0].resource));
    const turns =
      chat === undefined
        ? []
        : [...chat.state.turns, ...(chat.state.activeTurn ? [chat.state.activeTurn] : [])];
    const messages = turns
      .slice(-MAX_MESSAGES)
      .flatMap(({ message: { origin, text, attachments = [] } }) =>
        origin.kind === 'user'
          ? [{ text, hasComments: attachments.some(({ type }) => type === 'annotations') }]
          : [],
      )
      .toReversed();
    const titledBy = session?.hostData.titledBy;
    return proposedMessage({
      title: session?.state.title ?? '',
      isTitleChosen: titledBy === 'agent' || titledBy === 'client',
      messages,
      lastSubject:
        state.commit === undefined
          ? undefined
          : await readLine(tree, ['log', '-1', '--no-show-signature', '--format=%s', 'HEAD']),
      names: state.entries.map(({ path }) => basename(path)),
    });
  }
}

async function filterTrees<T extends { readonly tree: GitTree }>(
  trees: readonly T[],
  isWanted: (known: KnownTree) => boolean,
): Promise<T[]> {
  const found: T[] = [];
  for (const each of trees)
    if (isWanted({ tree: each.tree, state: await stateOf(each.tree) })) found.push(each);
  return found;
}

/** The trees that an operation concerns. If there are none, the first one explains why. */
async function orFirst<T extends { readonly tree: GitTree }>(
  trees: readonly T[],
  isWanted: (known: KnownTree) => boolean,
): Promise<readonly T[]> {
  const found = await filterTrees(trees, isWanted);
  return found.length === 0 ? trees.slice(0, 1) : found;
}

/** Does the same in each tree, one after the other. A refusal says what was done before it. */
async function forEach(
  trees: readonly { readonly tree: GitTree }[],
  deed: (tree: GitTree) => Promise<string>,
): Promise<string> {
  const texts: string[] = [];
  for (const { tree } of trees) {
    const prefix = trees.length === 1 ? '' : `${basename(tree.repository.root)}: `;
    try {
      texts.push(`${prefix}${await deed(tree)}`);
    } catch (error) {
      if (!(error instanceof GitRefusal) || texts.length === 0) throw error;
      throw new GitRefusal(error.code, `${texts.join('. ')}. But ${prefix}${error.message}`);
    }
  }
  return texts.join('. ');
}

/** The tree of a changed file, and its paths: that before a rename too. */
async function fileOf(
  trees: readonly { readonly tree: GitTree }[],
  files: readonly ChangesetFile[],
  resource: string,
): Promise<{ tree: GitTree; paths: string[] }> {
  const file = files.find(({ id, edit }) => [id, edit.before?.uri, edit.after?.uri].includes(resource));
  const uris = new Set([
    resource,
    ...(file === undefined ? [] : [file.id, file.edit.before?.uri, file.edit.after?.uri]),
  ]);
  for (const { tree } of trees) {
    const { entries } = await stateOf(tree);
    const paths = entries.flatMap(({ path }) =>
      uris.has(fileUriOf(join(tree.repository.root, path))) ? [path] : [],
    );
    if (paths.length > 0) return { tree, paths };
  }
  throw notFound('changed file', resource);
}
