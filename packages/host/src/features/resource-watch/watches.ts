import { join, relative } from 'node:path';
import {
  CHANNEL_SCHEMES,
  type ChannelAction,
  limitReached,
  type ResourceChange,
  type ResourceWatchState,
} from '@agenthost/protocol';
import type { Cancel, Ids, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Departures, Presence } from '../../wire/clients/client-lives.ts';
import type { AccessPolicy } from '../../workspace/access/access-policy.ts';
import type { Asker } from '../../workspace/access/grants.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import { findRealPath } from '../../workspace/real-path.ts';
import { onlyReal } from '../../workspace/watching/only-real.ts';
import { type ChangeBatch, WatchFailure } from '../../workspace/watching/tree-source.ts';
import type { RunningWatch, TreeWatchers } from '../../workspace/watching/tree-watchers.ts';

/** Limit of watches of one token. */
const MAX_PER_TOKEN = 256;
/** Limit of watches of the host. */
const MAX_WATCHES = 1_024;

/** Parts of the host that watches of clients need. */
export interface WatchesParts {
  readonly sync: Sync;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly watchers: TreeWatchers;
  readonly policy: Pick<AccessPolicy, 'verdict' | 'check'>;
  /** A watch waits for its first subscriber as long as for a client that is away. */
  readonly presence: Presence;
}

/** A watch that a client asks for. */
interface NewWatch {
  /** The path as the client names it. */
  readonly path: string;
  /** Its real path. */
  readonly root: string;
  /** The client that created it, by whose rights it is watched. */
  readonly asker: Asker;
  readonly state: ResourceWatchState;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** A watch of clients. */
interface Watch {
  readonly path: string;
  readonly root: string;
  /** The client that created it, by whose rights it is watched. */
  readonly asker: Asker;
  readonly channel: Channel<'resourceWatch'>;
  readonly unpin: () => void;
  /** The clients that are subscribed, or in their grace period after a lost connection. */
  readonly holders: Set<string>;
  readonly running: RunningWatch;
  /** False while the watch waits for its first subscriber. */
  isAdopted: boolean;
  /** Cancels this wait. */
  cancelWait: Cancel;
  /** Whether changes were dropped because the journal could not be written. */
  hasDropped: boolean;
  /** The batches are checked and sent one after the other. */
  sending: Promise<void>;
}

/** The watches of clients. A watch lives while a client holds it, and its changes are envelopes of its channel [WATCH-1]. */
export class Watches implements Departures {
  readonly #parts: WatchesParts;
  readonly #watches = new Map<string, Watch>();
  /** Watches that are being opened, by token. */
  readonly #opening: string[] = [];

  constructor(parts: WatchesParts) {
    this.#parts = parts;
    parts.presence.onChange((clientId, state) => {
      if (state === 'gone') for (const watch of this.#watches.values()) this.#leave(watch, clientId);
    });
    parts.sync.path.onHealth((failure) => {
      if (failure !== undefined) return;
      for (const watch of this.#watches.values())
        if (watch.hasDropped) this.#send(watch, { changes: [], isMissed: true });
    });
  }

  /** Starts a watch, and resolves with its channel when no further change is missed. */
  async create(init: NewWatch): Promise<string> {
    const { signal } = init;
    const { tokenHash } = init.asker;
    this.#checkRoom(tokenHash);
    this.#opening.push(tokenHash);
    try {
      // Batches that come before the channel exists are sent behind it.
      let begin: (watch: Watch) => void = () => undefined;
      const begun = new Promise<Watch>((resolve) => {
        begin = resolve;
      });
      const running = await this.#run(init, begun);
      if (signal.aborted) {
        running.close();
        throw new WatchFailure('failed', 'The client has disconnected');
      }
      const watch = await this.#add(init, running);
      begin(watch);
      return watch.channel.uri;
    } finally {
      this.#opening.splice(this.#opening.indexOf(tokenHash), 1);
    }
  }

  subscribed(clientId: string, uri: string): void {
    const watch = this.#watches.get(uri);
    if (watch === undefined) return;
    watch.isAdopted = true;
    watch.cancelWait();
    watch.holders.add(clientId);
    // The connection may be lost already.
    this.#parts.presence.expect(clientId);
  }

  unsubscribed(clientId: string, uri: string): void {
    const watch = this.#watches.get(uri);
    if (watch !== undefined) this.#leave(watch, clientId);
  }

  returned(clientId: string, subscriptions: readonly string[]): Promise<void> {
    for (const [uri, watch] of this.#watches) {
      if (subscriptions.includes(uri)) this.subscribed(clientId, uri);
      else this.#leave(watch, clientId);
    }
    return Promise.resolve();
  }

  /** Releases watches whose last subscribers may only look: their departure is not reported. */
  sweep(): void {
    for (const watch of this.#watches.values()) this.#releaseIfLeft(watch);
  }

  /** Ends all watches. The next host removes their channels. */
  async stop(): Promise<void> {
    for (const { cancelWait } of this.#watches.values()) cancelWait();
    this.#watches.clear();
    await this.#parts.watchers.close();
  }

  #checkRoom(tokenHash: string): void {
    const tokens = [...this.#opening, ...[...this.#watches.values()].map(({ asker }) => asker.tokenHash)];
    if (tokens.filter((each) => each === tokenHash).length >= MAX_PER_TOKEN)
      throw limitReached(
        `This token has ${MAX_PER_TOKEN} watches, its limit. Unsubscribe from one first.`,
        'watches',
        MAX_PER_TOKEN,
      );
    if (tokens.length >= MAX_WATCHES)
      throw limitReached(
        `This host has ${MAX_WATCHES} watches, its limit. Try again later.`,
        'watches',
        MAX_WATCHES,
      );
  }

  #run({ root, state }: NewWatch, begun: Promise<Watch>): Promise<RunningWatch> {
    const { log, watchers } = this.#parts;
    const once = (run: (watch: Watch) => void): void => void begun.then(run);
    return watchers.watch(
      {
        root,
        isRecursive: state.recursive,
        includes: state.includes?.items,
        excludes: state.excludes?.items,
        usesGitignore: state['x-gitignore'] === true,
      },
      {
        onChanges: (batch) => once((watch) => this.#send(watch, batch)),
        onEnd: (failure) => {
          log.warn({ error: failure, root }, 'a watch of files has ended');
          once((watch) => this.#end(watch, failure));
        },
      },
    );
  }

  async #add({ path, root, asker, state }: NewWatch, running: RunningWatch): Promise<Watch> {
    const { sync, ids, timers, presence } = this.#parts;
    const uri = `${CHANNEL_SCHEMES.resourceWatch}:/${ids.next()}`;
    try {
      const watch = await sync.commit('client', (tx) => {
        const init = { uri, kind: 'resourceWatch', state, hostData: {} } as const;
        const channel = sync.registry.create(tx, init, sync.emittedSeq);
        tx.write({ op: 'markOpen', uri });
        const added: Watch = {
          path,
          root,
          asker,
          channel,
          unpin: channel.pin(),
          holders: new Set(),
          running,
          isAdopted: false,
          cancelWait: () => undefined,
          hasDropped: false,
          sending: Promise.resolve(),
        };
        this.#watches.set(uri, added);
        tx.undo(() => this.#watches.delete(uri));
        return added;
      });
      watch.cancelWait = timers.after(presence.graceMs, () => {
        watch.isAdopted = true;
        this.#releaseIfLeft(watch);
      });
      return watch;
    } catch (error) {
      running.close();
      throw error;
    }
  }

  #leave(watch: Watch, clientId: string): void {
    if (watch.holders.delete(clientId)) this.#releaseIfLeft(watch);
  }

  #releaseIfLeft(watch: Watch): void {
    const { channel, holders, isAdopted } = watch;
    if (!isAdopted || holders.size > 0 || channel.subscriptions.size > 0) return;
    this.#remove(watch);
  }

  /** Ends a watch by itself, and tells its subscribers why. */
  #end(watch: Watch, { message }: WatchFailure): void {
    const { root } = watch.channel.state;
    this.#remove(watch, message.replaceAll(watch.root, JSON.stringify(root)));
  }

  #remove(watch: Watch, reason?: string): void {
    const { channel, running, unpin } = watch;
    if (!this.#watches.delete(channel.uri)) return;
    running.close();
    watch.cancelWait();
    unpin();
    const { sync } = this.#parts;
    sync.transact('host', (tx) => {
      if (!channel.isAlive) return;
      if (reason !== undefined) tx.emit(channel, { ...rootChanged(channel), 'x-ended': reason });
      sync.registry.dispose(tx, channel);
    });
  }

  #send(watch: Watch, batch: ChangeBatch): void {
    watch.sending = watch.sending.then(() =>
      this.#sendNow(watch, batch).catch((error: unknown) => {
        this.#parts.log.error({ error, watch: watch.channel.uri }, 'changes of a watch could not be sent');
      }),
    );
  }

  async #sendNow(watch: Watch, { changes, isMissed }: ChangeBatch): Promise<void> {
    const { sync } = this.#parts;
    const { channel, root, path } = watch;
    const failure = await this.#findFault(watch);
    if (this.#watches.get(channel.uri) !== watch) return;
    if (failure !== undefined) {
      this.#end(watch, failure);
      return;
    }
    const real = isMissed ? [] : await onlyReal(root, changes);
    // The journal would keep every batch in memory until it can be written.
    if (!sync.path.isHealthy) {
      watch.hasDropped = true;
      return;
    }
    const items = real.map<ResourceChange>((change) => ({
      uri: fileUriOf(join(path, relative(root, change.path))),
      type: change.type,
    }));
    const hasMissed = isMissed || watch.hasDropped;
    watch.hasDropped = false;
    if (items.length === 0 && !hasMissed) return;
    sync.transact('host', (tx) => {
      if (!channel.isAlive) return;
      if (hasMissed) tx.emit(channel, { ...rootChanged(channel), 'x-missed': true });
      else tx.emit(channel, { type: 'resourceWatch/changed', changes: { items } });
    });
  }

  /** Checks again what the creation has checked: folders may have become links, and sessions may be gone. */
  async #findFault({ path, root, asker }: Watch): Promise<WatchFailure | undefined> {
    const real = await findRealPath(path).catch(() => undefined);
    if (real?.path !== root) return new WatchFailure('moved', `${root} is not at this path any more`);
    // A removed file or folder has no content that could be read.
    if (!real.exists || (await this.#parts.policy.verdict(real.path, 'read', asker)) === 'yes')
      return undefined;
    return new WatchFailure('failed', `${root} may not be read by the client that watches it any more`);
  }
}

/** An action for clients that do not know extensions: they read everything again. */
const rootChanged = ({ state }: Channel<'resourceWatch'>): ChannelAction['resourceWatch'] => ({
  type: 'resourceWatch/changed',
  changes: { items: [{ uri: state.root, type: 'updated' }] },
});
