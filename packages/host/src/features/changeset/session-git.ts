import type { SessionGit } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnParts } from '../../turns/parts.ts';
import type { Git } from '../../workspace/git/git.ts';
import { gitStateOf, sessionGitOf } from '../../workspace/git/git-state.ts';
import type { Repository } from '../../workspace/git/repository.ts';
import { trackingRepository } from '../../workspace/git/tracking-repository.ts';
import { findRealPath } from '../../workspace/real-path.ts';

/** Requests in this time are answered by one look. */
const DEBOUNCE_MS = 500;

interface Parts {
  readonly sync: Sync;
  readonly timers: Timers;
  readonly log: Log;
  readonly git: Git;
  readonly workingDirectoryOf: TurnParts['workingDirectoryOf'];
}

/** Shows the git repository of each session's first folder in its `_meta.git`. */
export class SessionGits {
  readonly #parts: Parts;
  readonly #waiting = new Map<string, Cancel>();
  /** Looks that run. True: once more afterwards. */
  readonly #running = new Map<string, { isAgain: boolean; readonly done: Promise<void> }>();
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks at the repository of a session after a short time. */
  changed(session: string): void {
    if (this.#isOver || this.#waiting.has(session)) return;
    this.#waiting.set(
      session,
      this.#parts.timers.after(DEBOUNCE_MS, () => {
        this.#waiting.delete(session);
        void this.refresh(session);
      }),
    );
  }

  /** Looks at the repository of a session now. Resolves when the session shows it. Never rejects. */
  refresh(session: string): Promise<void> {
    const running = this.#running.get(session);
    if (running !== undefined) {
      running.isAgain = true;
      return running.done;
    }
    if (this.#isOver) return Promise.resolve();
    const entry = { isAgain: false, done: Promise.resolve() };
    this.#running.set(session, entry);
    entry.done = this.#loop(session, entry)
      .catch((error: unknown) =>
        this.#parts.log.debug({ error, session }, 'the git state of a session is unknown'),
      )
      .finally(() => this.#running.delete(session));
    return entry.done;
  }

  async #loop(session: string, entry: { isAgain: boolean }): Promise<void> {
    do {
      entry.isAgain = false;
      await this.#refresh(session);
    } while (entry.isAgain && !this.#isOver);
  }

  async #refresh(uri: string): Promise<void> {
    const { sync, git } = this.#parts;
    const found = await this.repositoryOf(uri);
    const shown =
      found === undefined ? undefined : sessionGitOf(await gitStateOf(git, found.repository, [found.scope]));
    const session = sync.registry.getOf('session', uri);
    if (session === undefined || this.#isOver) return;
    sync.transact('host', (tx) => {
      if (!session.isAlive) return;
      const { git: before, ...others } = session.state._meta ?? {};
      if (sameJson(before, shown)) return;
      const _meta: Record<string, unknown> & { git?: SessionGit } =
        shown === undefined ? others : { ...others, git: shown };
      tx.emit(session, {
        type: 'session/metaChanged',
        ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
      });
    });
  }

  /** The repository of a session's first folder, and the folder in it. `undefined`: the session or the repository is gone, or there is none. */
  async repositoryOf(
    uri: string,
  ): Promise<{ readonly repository: Repository; readonly scope: string } | undefined> {
    const { sync, git, workingDirectoryOf } = this.#parts;
    const session = sync.registry.getOf('session', uri);
    const first = session?.state.defaultChat ?? session?.state.chats[0]?.resource;
    const chat = first === undefined ? undefined : await sync.registry.openOf('chat', first);
    if (session === undefined || chat === undefined) return undefined;
    const { path } = await findRealPath(await workingDirectoryOf(session, chat));
    const repository = await trackingRepository(git, path);
    return repository && { repository, scope: path.slice(repository.root.length + 1) };
  }

  /** Ends all work. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }
}
