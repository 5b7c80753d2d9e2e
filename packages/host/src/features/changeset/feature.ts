import { join } from 'node:path';
import { notFound } from '@agenthost/protocol';
import { reject } from '../../handler-port/channel-module.ts';
import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnParts } from '../../turns/parts.ts';
import { Git } from '../../workspace/git/git.ts';
import { UserGit } from '../../workspace/git/user-git.ts';
import type { PrivatePaths } from '../../workspace/private-paths.ts';
import { TreeStores } from '../../workspace/snapshots/stores.ts';
import type { TreeWatchers } from '../../workspace/watching/tree-watchers.ts';
import type { Feature } from '../feature.ts';
import { BlobUris } from './blob-uris.ts';
import { addCatalogues, showCounts } from './catalogues.ts';
import { Folders } from './folders.ts';
import { GitOperations } from './git-operations.ts';
import { LiveChangesets } from './live-changesets.ts';
import { ChangesetOperations } from './operations.ts';
import { TurnRecorder } from './recorder.ts';
import { Retention } from './retention.ts';
import { Reverts } from './reverts.ts';
import { SessionGits } from './session-git.ts';
import { ChangeSource } from './source.ts';
import { TreeWatches } from './tree-watches.ts';
import { isReviewable, subjectOf } from './uris.ts';
import { WatchPlan } from './watch-plan.ts';

/** A stop waits so long for snapshots and for the removal of old records. The next host completes what is then left. */
const STOP_WAIT_MS = 5_000;

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly workspace: { readonly privatePaths: PrivatePaths };
  readonly watchers: TreeWatchers;
  /** Absent: nothing is recorded. */
  readonly dataDir: string | undefined;
  readonly workingDirectoryOf: TurnParts['workingDirectoryOf'];
  readonly workingDirectoriesOf: TurnParts['workingDirectoriesOf'];
}

/** Records the files that turns change, and shows them as changesets [CS-1] to [CS-4]. */
export async function changesetFeature(parts: Parts): Promise<
  Feature & {
    /** Called before the agent gets a turn. Resolves after 250 ms at the latest. */
    beforeTurn(of: {
      readonly session: string;
      readonly chat: string;
      readonly turnId: string;
    }): Promise<void>;
    /** The content behind an id in a content URI. `undefined` if no changeset has shown it. */
    readContent(id: string): Promise<Buffer | 'tooLarge' | undefined>;
  }
> {
  const { sync, clock, timers, log, dataDir } = parts;
  const stopping = new AbortController();
  const git = new Git({ signal: stopping.signal });
  const off = {
    name: 'changeset',
    beforeTurn: () => Promise.resolve(),
    readContent: () => Promise.resolve(undefined),
  };
  if (dataDir === undefined) return off;
  if ((await git.version()) === undefined) {
    log.warn({}, 'there is no git program: the changes of files are not recorded');
    return off;
  }
  const view = await parts.workspace.privatePaths.look();
  const stores = new TreeStores(join(dataDir, 'trees'), {
    git,
    now: () => steadyNow(clock),
    isPrivate: (path) => view.isWithin(path),
  });
  const folders = new Folders(stores);
  /** Chats whose changes were counted since the start. A host may have been killed between a record and its counts. */
  const counted = new Set<string>();
  const recorder: TurnRecorder = new TurnRecorder({
    ...parts,
    folders,
    changed: (session) => {
      live.changed(session);
      gits.changed(session);
    },
    ended: (session) => live.outdated(session),
    recorded: async ({ session, chat, hasChanges }) => {
      if (hasChanges || !counted.has(chat)) await showCounts(sync, source, { session, chats: [chat] });
      counted.add(chat);
      await gits.refresh(session);
      retention.recorded();
    },
  });
  const source = new ChangeSource({ ...parts, folders, recorder });
  const userGit = new UserGit(parts);
  const reverts = new Reverts({ ...parts, git, source, recorder });
  const gitOperations = new GitOperations({ ...parts, git: new Git(), userGit, source, recorder });
  const gits = new SessionGits({ ...parts, git });
  const operations = new ChangesetOperations({
    sync,
    log,
    reverts,
    gitOperations,
    compute: (channel) => live.compute(channel),
    written: async (channel, by) => {
      const session = channel.session ?? '';
      await Promise.all([live.recompute(session, channel), gits.refresh(session)]);
      if (by === 'git') return;
      const chats = sync.registry.getOf('session', session)?.state.chats ?? [];
      const shown = chats.flatMap(({ resource, changes }) => (changes === undefined ? [] : [resource]));
      await showCounts(sync, source, { session, chats: shown });
    },
  });
  const uris = await BlobUris.load(sync, stores);
  const live: LiveChangesets = new LiveChangesets({ ...parts, source, uris, operations });
  const watches = new TreeWatches({
    ...parts,
    now: () => steadyNow(clock),
    changed: (uri) => {
      const channel = sync.registry.get(uri);
      if (channel?.is('changeset') === true) void live.compute(channel, { isQuiet: true });
      if (channel !== undefined) gits.changed(channel.session ?? channel.uri);
    },
  });
  const plan = new WatchPlan({ ...parts, git, source, live, gits, watches });
  const retention = new Retention({ sync, clock, log, folders, isBusy: () => recorder.openCount > 0 });
  const showCatalogues = (of: { readonly session: string; readonly chat?: string }): void => {
    addCatalogues({ ...parts, git }, of).catch((error: unknown) =>
      log.warn({ error, session: of.session }, 'a session has no catalogue of changesets'),
    );
  };
  /** A client sees a channel from now on. */
  const seen = (uri: string): void => {
    const channel = sync.registry.get(uri);
    if (channel?.is('session') === true) {
      void gits.refresh(uri);
      showCatalogues({ session: uri });
    } else if (channel?.is('changeset') === true) live.freshen(channel);
    else return;
    void plan.update();
  };
  return {
    name: 'changeset',
    commands: {
      invokeChangesetOperation: async (params) => {
        const channel = await sync.registry.openOf('changeset', params.channel);
        if (channel === undefined) throw notFound('changeset', params.channel);
        return operations.invoke(channel, params);
      },
    },
    channel: {
      changeset: {
        plan: (channel, action) => {
          const subject = subjectOf(channel.uri);
          return subject !== undefined && isReviewable(subject)
            ? { action }
            : reject('notReviewable', 'The files of this changeset cannot be marked as reviewed');
        },
      },
    },
    observe: () =>
      sync.observe('chat', (tx, { channel, before, after, action }) => {
        const { uri } = channel;
        if (action.type === 'chat/toolCallComplete' || action.type === 'chat/toolCallContentChanged')
          tx.effect(() => recorder.noteEdits(uri, action));
        const ended = before.activeTurn?.id;
        if (ended !== undefined && after.activeTurn?.id !== ended) tx.effect(() => recorder.end(uri));
      }),
    recover: () => recorder.recover(),
    clients: {
      subscribed: (_, uri) => seen(uri),
      unsubscribed: () => undefined,
      returned: (_, subscriptions) => {
        for (const uri of subscriptions) seen(uri);
        return Promise.resolve();
      },
    },
    sweep: () => {
      void plan.update().then(() => plan.look());
      retention.sweep();
      stores.rest();
    },
    stop: async () => {
      const cancel = timers.after(STOP_WAIT_MS, () => stopping.abort());
      await userGit.stop();
      await recorder.stop();
      await operations.stop();
      await plan.stop();
      await gits.stop();
      await live.stop();
      await retention.stop();
      await stores.close();
      cancel();
    },
    beforeTurn: async (of) => {
      await recorder.begin(of);
      showCatalogues(of);
    },
    readContent: (id) => uris.read(id),
  };
}
