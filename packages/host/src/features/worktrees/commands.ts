import {
  type CreateWorktreeParams,
  type CreateWorktreeResult,
  conflict,
  findChat,
  invalidParam,
  notFound,
  sessionNotFound,
} from '@agenthost/protocol';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { Commands } from '../../handler-port/commands.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { fileUriOf, pathOfFileUri } from '../../workspace/file-uri.ts';
import { type Git, GitError } from '../../workspace/git/git.ts';
import { findRepository } from '../../workspace/git/repository.ts';
import { WorktreeRefusal } from '../../workspace/git/worktree-base.ts';
import { mergeInto, openBranchAt } from '../../workspace/git/worktree-merge.ts';
import { worktreeStateOf } from '../../workspace/git/worktree-state.ts';
import { infoOf, type WorktreeFacts } from './facts.ts';
import type { WorktreeKeeper } from './keeper.ts';
import type { WorktreeMaker } from './maker.ts';
import type { WorktreeRecord, WorktreeStore } from './store.ts';

/** Worktrees whose state is read at the same time. */
const AT_ONCE = 4;

export interface WorktreeCommandParts {
  readonly sync: Sync;
  readonly git: Git;
  readonly agents: AgentRegistry;
  readonly store: WorktreeStore;
  readonly maker: WorktreeMaker;
  readonly keeper: WorktreeKeeper;
  readonly facts: WorktreeFacts;
  /** Makes the next turns of these chats open their agents in the present working directories. */
  directoriesChanged(chats: readonly string[]): void;
}

/** `x-listWorktrees`, `x-createWorktree`, `x-mergeWorktree`, `x-openWorktree` and `x-removeWorktree`. */
export function worktreeCommands(parts: WorktreeCommandParts): Commands {
  const { git, store, maker, keeper, facts } = parts;
  const find = (id: string): WorktreeRecord => {
    const record = store.find(id);
    if (record === undefined) throw notFound('worktree', id);
    return record;
  };
  const settle = async (session: string | undefined): Promise<void> => {
    if (session !== undefined) await facts.refresh(session);
  };
  return {
    'x-listWorktrees': async () => {
      const items = [];
      for (let at = 0; at < store.all.length; at += AT_ONCE)
        items.push(
          ...(await Promise.all(store.all.slice(at, at + AT_ONCE).map((each) => infoOf(git, each)))),
        );
      return { items };
    },
    'x-createWorktree': (params) => createForSession(parts, params),
    'x-mergeWorktree': async ({ id }) => {
      const record = find(id);
      const message = await refusable(() => maker.exclusive(record.commonDir, () => merge(git, record)));
      await settle(record.session);
      return { message };
    },
    'x-openWorktree': async ({ id }) => {
      const record = find(id);
      const message = await refusable(() => maker.exclusive(record.commonDir, () => open(git, record)));
      await settle(record.session);
      return { message };
    },
    'x-removeWorktree': async ({ id, discard = false }) => {
      find(id);
      return { message: await refusable(() => keeper.remove(id, { discard })) };
    },
  };
}

async function merge(git: Git, record: WorktreeRecord): Promise<string> {
  const { base, path } = record;
  if (base.kind !== 'branch')
    throw new WorktreeRefusal(
      `The worktree was made from ${base.kind === 'commit' ? 'a commit' : `${base.name}, a branch of a remote`}: there is no local branch to merge into`,
    );
  const { branch, repository } = await openTree(git, record);
  const { count, commit } = await mergeInto(git, repository, { branch, base: base.name });
  if (count === 0) return `${base.name} has all commits of ${branch}`;
  const commits = count === 1 ? '1 commit' : `${count} commits`;
  return `Merged ${commits} of ${branch} into ${base.name}, which is now at ${commit.slice(0, 10)}. The worktree ${path} stays`;
}

async function open(git: Git, record: WorktreeRecord): Promise<string> {
  const { branch, repository } = await openTree(git, record);
  const { checkout } = record;
  await openBranchAt(git, repository, { branch, checkout });
  return `${branch} is checked out in ${checkout}. The worktree has its files without a branch`;
}

/** A worktree that exists, has a branch, and no uncommitted changes. */
async function openTree(git: Git, record: WorktreeRecord) {
  const { path } = record;
  const state = await worktreeStateOf(git, record);
  const repository = await findRepository(path);
  if (state === undefined || repository === undefined)
    throw new WorktreeRefusal(`The worktree ${path} is gone`);
  if (state.operation !== undefined)
    throw new WorktreeRefusal(`A ${state.operation} is unfinished in the worktree: end it first`);
  const { tracked, untracked } = state.changed;
  if (tracked + untracked > 0)
    throw new WorktreeRefusal(
      `The worktree has ${tracked + untracked === 1 ? '1 uncommitted file' : `${tracked + untracked} uncommitted files`}: commit first`,
    );
  if (state.branch === undefined) throw new WorktreeRefusal(`No branch is checked out in ${path}`);
  return { branch: state.branch, repository };
}

async function createForSession(
  parts: WorktreeCommandParts,
  { channel, chat, base = '' }: CreateWorktreeParams,
): Promise<CreateWorktreeResult> {
  const { sync, git, agents, store, maker, facts } = parts;
  const session = await sync.registry.openOf('session', channel);
  if (session === undefined) throw sessionNotFound(channel);
  const { provider, workingDirectories = [] } = session.state;
  const agent = agents.ids.includes(provider) ? agents.get(provider).describe() : undefined;
  if (agent?.capabilities?.multipleWorkingDirectories === undefined)
    throw invalidParam('channel', `agent ${provider} works in one directory per session`);
  if (chat !== undefined && findChat(session.state.chats, chat) === undefined) throw notFound('chat', chat);
  const [first] = workingDirectories;
  if (first === undefined) throw invalidParam('channel', 'the session has no working directory');
  const record = await planned('base', async () => {
    const plan = await maker.plan(pathOfFileUri(first), base);
    return maker.make(plan, channel, () => '');
  });
  const opened = chat === undefined ? undefined : await sync.registry.openOf('chat', chat);
  const directory = fileUriOf(record.folder);
  const isDone = await sync.commit('host', (tx) => {
    if (!session.isAlive || opened?.isAlive === false) return false;
    store.put(tx, { ...record, phase: 'ready' });
    tx.emit(session, { type: 'session/workingDirectorySet', directory });
    if (opened !== undefined) moveInto(tx, opened, directory);
    const chats = session.state.chats.map(({ resource }) => resource);
    tx.effect(() => parts.directoriesChanged(chats));
    return true;
  });
  if (!isDone) {
    await maker.discard(record);
    throw sessionNotFound(channel);
  }
  await facts.refresh(channel);
  return { worktree: await infoOf(git, { ...record, phase: 'ready' }), directory };
}

/** Makes a chat work in one folder alone. */
function moveInto(tx: Tx, chat: Channel<'chat'>, directory: string): void {
  const before = chat.state.workingDirectories ?? [];
  tx.emit(chat, { type: 'chat/workingDirectorySet', directory });
  for (const other of before) tx.emit(chat, { type: 'chat/workingDirectoryRemoved', directory: other });
}

/** Runs work on git. A refusal becomes `-32011`. */
async function refusable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WorktreeRefusal || error instanceof GitError) throw conflict(error.message);
    throw error;
  }
}

/** Makes something from params. A refusal becomes `-32602`. */
export async function planned<T>(param: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WorktreeRefusal || error instanceof GitError)
      throw invalidParam(param, error.message);
    throw error;
  }
}
