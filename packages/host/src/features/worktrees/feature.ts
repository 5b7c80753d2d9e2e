import { findChat } from '@agenthost/protocol';
import { AgentError } from '../../agents/errors.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { Clock, Ids, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TerminalService } from '../../terminals/service.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';
import { Git, GitError } from '../../workspace/git/git.ts';
import { findRepository } from '../../workspace/git/repository.ts';
import { branchesOf, WorktreeRefusal } from '../../workspace/git/worktree-base.ts';
import { findRealPath } from '../../workspace/real-path.ts';
import type { Feature } from '../feature.ts';
import { planned, worktreeCommands } from './commands.ts';
import { WorktreeFacts } from './facts.ts';
import { isolatedFolders } from './isolation.ts';
import { WorktreeKeeper } from './keeper.ts';
import { WorktreeMaker } from './maker.ts';
import { replaceDirectories } from './replace-directories.ts';
import { type StartingTurn, WorktreeSetup } from './setup.ts';
import { WorktreeStore } from './store.ts';

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly agents: AgentRegistry;
  readonly listing: SessionListing;
  readonly terminals: Pick<TerminalService, 'startForAgent'>;
  /** Absolute path of the folder for worktrees. Absent: the host makes none. */
  readonly worktreeDir: string | undefined;
  /** Absolute paths of the folders that sessions and chats work in. */
  listFolders(): Promise<readonly string[]>;
  /** See `TurnSupervisor`, which is made later. */
  readonly turns: {
    directoriesChanged(chats: readonly string[]): void;
    agentsClosed(): Promise<void>;
  };
}

/** The part of worktrees that other features use. */
export interface Worktrees {
  /** Checks the config value `isolation` of a new session. Rejects with `-32602`. */
  checkIsolation(folder: string, values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Names of branches of a folder's repository, the last changed first. Empty outside of git. */
  branches(folder: string): Promise<readonly string[]>;
  /** Makes the worktree of a new session before its agent starts. Rejects with `AgentError`. */
  prepareSession(session: string): Promise<void>;
  /** Runs the setup of a worktree before the agent gets the first turn in it. */
  prepareTurn(turn: StartingTurn): Promise<void>;
  /** See `isolatedFolders`. */
  isolatedFolders(of: { readonly session: string; readonly chat: string }): readonly string[] | undefined;
}

/** At most this many branches are offered as a base. */
const MAX_BRANCHES = 100;

const baseOf = (values: Readonly<Record<string, unknown>>): string => {
  const base = values['base'];
  return typeof base === 'string' ? base.trim() : '';
};

/** Gives sessions git worktrees of their own, and keeps what is in them. */
export async function worktreesFeature(parts: Parts): Promise<Feature & { readonly worktrees: Worktrees }> {
  const { sync, log, listing, turns } = parts;
  const git = new Git();
  const store = await WorktreeStore.load(sync);
  const folder = parts.worktreeDir;
  const maker = new WorktreeMaker({ ...parts, git, store, folder });
  const facts = new WorktreeFacts({ sync, git, store });
  const agentsClosed = (): Promise<void> => turns.agentsClosed();
  const keeper = new WorktreeKeeper({ ...parts, git, store, maker, agentsClosed });
  const setup = await WorktreeSetup.load({ ...parts, store });
  /** Work in the background. */
  const running = new Set<Promise<void>>();
  let isOver = false;
  const inBackground = (work: () => Promise<void>, failure: string): void => {
    if (isOver) return;
    const done = work()
      .catch((error: unknown) => log.warn({ error }, failure))
      .finally(() => running.delete(done));
    running.add(done);
  };
  const refresh = (session: string): void => {
    if (store.all.length > 0)
      inBackground(() => facts.refresh(session), 'the state of a worktree was not read');
  };
  const worktrees: Worktrees = {
    checkIsolation: async (path, values) => {
      if (values['isolation'] === 'worktree')
        await planned('config.isolation', () => maker.plan(path, baseOf(values)));
    },
    branches: async (path) => {
      const repository = await findRepository((await findRealPath(path)).path);
      if (repository === undefined) return [];
      try {
        return await branchesOf(git, repository, MAX_BRANCHES);
      } catch (error) {
        if (error instanceof GitError) return [];
        throw error;
      }
    },
    prepareSession: async (uri) => {
      const session = sync.registry.getOf('session', uri);
      const values = session?.state.config?.values ?? {};
      const [directory] = session?.state.workingDirectories ?? [];
      if (session === undefined || directory === undefined || values['isolation'] !== 'worktree') return;
      try {
        const plan = await maker.plan(pathOfFileUri(directory), baseOf(values));
        const record = await maker.make(plan, uri, () => session.state.title);
        const isDone = await sync.commit('host', (tx) => {
          if (!session.isAlive) return false;
          store.put(tx, { ...record, phase: 'ready' });
          replaceDirectories(tx, sync, session, record);
          return true;
        });
        if (!isDone) await maker.discard(record);
        await facts.refresh(uri);
      } catch (error) {
        if (error instanceof WorktreeRefusal || error instanceof GitError)
          throw new AgentError('worktreeFailed', error.message, { cause: error });
        throw error;
      }
    },
    prepareTurn: async (turn) => {
      const session = sync.registry.getOf('session', turn.session);
      const chat = session && findChat(session.state.chats, turn.chat);
      const [first] = chat?.workingDirectories ?? session?.state.workingDirectories ?? [];
      const record = first === undefined ? undefined : store.containing(first);
      if (record !== undefined) await setup.before(turn, record);
    },
    isolatedFolders: (of) => isolatedFolders({ sync, store }, of),
  };
  const recover = async (): Promise<void> => {
    const [halfMade, made] = [
      store.all.filter(({ phase }) => phase === 'creating'),
      store.all.filter(({ phase }) => phase === 'ready'),
    ];
    for (const record of halfMade) await maker.exclusive(record.commonDir, () => maker.discard(record));
    for (const record of made) {
      const { session } = record;
      if (session === undefined) await keeper.removeIfIdle(record);
      else if ((await sync.journal.readChannelHead(session)) === undefined) await keeper.release(session);
      else if (!(await findRealPath(record.path)).exists) await facts.refresh(session);
    }
  };
  return {
    name: 'worktrees',
    worktrees,
    commands: worktreeCommands({
      ...parts,
      git,
      store,
      maker,
      keeper,
      facts,
      directoriesChanged: (chats) => turns.directoriesChanged(chats),
    }),
    observe: () => {
      sync.observe('session', (tx, { channel, action, before, after }) => {
        // Commits and edits outside of turns are seen by the repository's state first.
        if (action.type === 'session/metaChanged' && before._meta?.['git'] !== after._meta?.['git'])
          tx.effect(() => refresh(channel.uri));
        if (action.type !== 'session/titleChanged') return;
        const { uri } = channel;
        const { title } = action;
        if (!store.ofSession(uri).some(({ isNamed }) => !isNamed)) return;
        tx.effect(() =>
          inBackground(async () => {
            await keeper.name(uri, title);
            await facts.refresh(uri);
          }, 'the branch of a worktree was not named'),
        );
      });
      sync.observe('chat', (tx, { channel, before, after }) => {
        const { session } = channel;
        if (session === undefined || before.activeTurn === undefined) return;
        if (after.activeTurn?.id !== before.activeTurn.id) tx.effect(() => refresh(session));
      });
      listing.onChange((tx, uri, by) => {
        if (by === -1)
          tx.effect(() =>
            inBackground(() => keeper.release(uri), 'the worktrees of a session were not looked at'),
          );
      });
    },
    recover: () => inBackground(recover, 'the worktrees of an earlier host were not looked at'),
    stop: async () => {
      isOver = true;
      await Promise.allSettled([...running]);
      await maker.settled();
      await facts.settled();
    },
  };
}
