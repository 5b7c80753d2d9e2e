import type {
  ActionEnvelope,
  ClientToHostRequests,
  CreateResourceWatchParams,
  ResourceChange,
  URI,
} from '@agenthost/protocol';
import { ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { ConnectionLost, WatchEnded } from '../errors.ts';
import { Listeners, type ReportError } from '../listeners.ts';
import type { Mirror } from '../mirror/mirror.ts';

/** Options of a watch. Patterns are relative to the watched folder. */
export interface WatchOptions {
  /** Whether everything below the folder is watched, and not only its direct entries. Default false. */
  readonly recursive?: boolean;
  /** Only paths that match one of these patterns are reported; a plain path covers everything below it. Default: all. */
  readonly includes?: readonly string[];
  /** Paths that match one of these patterns are left out, with everything below them. Default: none. */
  readonly excludes?: readonly string[];
  /** Leaves out what the `.gitignore` files of the working tree name. Default false. Only hosts of this project know it. */
  readonly gitignore?: boolean;
}

/** Changes that are reported together. */
export interface WatchedChanges {
  /** Each file, folder or link once. */
  readonly changes: readonly ResourceChange[];
  /** Whether changes may have been missed: read again everything that you show. */
  readonly isMissed: boolean;
}

/** The requests of a client that a watch makes. */
export interface FileWatchPort {
  request(
    method: 'createResourceWatch',
    params: CreateResourceWatchParams,
  ): Promise<ClientToHostRequests['createResourceWatch']['result']>;
  subscribe(uri: URI, options: { readonly kind: 'resourceWatch' }): Promise<Mirror<'resourceWatch'>>;
  whenOnline(): Promise<void>;
}

/** The functions that a watch calls. */
interface WatchReport {
  readonly onChanges: (changes: WatchedChanges) => void;
  /** Called with errors of `onChanges`. */
  readonly onError: ReportError;
}

/**
 * A watch of a file or folder of the host's machine. It goes on over reconnects and restarts of the host.
 *
 * @example
 * const watch = await client.watch(folder, { recursive: true }, ({ changes, isMissed }) => {
 *   if (isMissed) readAll();
 *   else for (const { uri, type } of changes) console.log(type, uri);
 * });
 * watch.close();
 */
export class FileWatch {
  /** The watched file or folder. */
  readonly uri: URI;
  /** Resolves with the reason when the watch has ended by itself, and with `undefined` after `close`. */
  readonly ended: Promise<Error | undefined>;
  readonly #port: FileWatchPort;
  readonly #params: CreateResourceWatchParams;
  readonly #listeners: Listeners<WatchedChanges>;
  #settle: (reason: Error | undefined) => void = () => undefined;
  #mirror: Mirror<'resourceWatch'> | undefined;
  #hasEnded = false;

  private constructor(port: FileWatchPort, uri: URI, options: WatchOptions, report: WatchReport) {
    this.#port = port;
    this.uri = uri;
    this.#params = paramsOf(uri, options);
    this.#listeners = new Listeners(report.onError, 'watch');
    this.#listeners.add(report.onChanges);
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /**
   * Starts a watch; see `AhpClient.watch`. Resolves when no further change is missed: read then what you show. Rejects with `RpcError`: -32008 (does
   * not exist), -32009 (outside of the working directories of sessions), -32011 (a limit of the host or of its system), -32602 (a bad pattern), and
   * with `ConnectionLost`.
   */
  static async start(
    port: FileWatchPort,
    uri: URI,
    options: WatchOptions,
    report: WatchReport,
  ): Promise<FileWatch> {
    const watch = new FileWatch(port, uri, options, report);
    await watch.#open();
    return watch;
  }

  /** Ends the watch. The listener is not called any more. Calling it again does nothing. */
  close(): void {
    this.#end(undefined);
  }

  async #open(): Promise<void> {
    const { channel } = await this.#port.request('createResourceWatch', this.#params);
    const mirror = await this.#port.subscribe(channel, { kind: 'resourceWatch' });
    if (this.#hasEnded) {
      mirror.dispose();
      return;
    }
    this.#mirror = mirror;
    mirror.onAction((envelope) => this.#receive(envelope));
    // It replaces changes that the client has not got.
    mirror.onSnapshot(() => this.#tellMissed());
    mirror.onChange(() => {
      if (mirror.isLost && this.#mirror === mirror) void this.#openAgain(mirror);
    });
  }

  #receive({ action }: ActionEnvelope): void {
    if (action.type !== 'resourceWatch/changed') return;
    const reason = action['x-ended'];
    if (reason !== undefined) {
      this.#end(new WatchEnded(reason));
      return;
    }
    const isMissed = action['x-missed'] === true;
    this.#listeners.emit({ changes: isMissed ? [] : action.changes.items, isMissed });
  }

  /** The host was restarted, or this client was away for too long. */
  async #openAgain(lost: Mirror<'resourceWatch'>): Promise<void> {
    this.#mirror = undefined;
    lost.dispose();
    while (!this.#hasEnded) {
      try {
        await this.#port.whenOnline();
        await this.#open();
        this.#tellMissed();
        return;
      } catch (error) {
        if (error instanceof ConnectionLost) continue;
        this.#end(error instanceof Error ? error : new WatchEnded(String(error)));
      }
    }
  }

  #tellMissed(): void {
    if (!this.#hasEnded) this.#listeners.emit({ changes: [], isMissed: true });
  }

  #end(reason: Error | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#mirror?.dispose();
    this.#mirror = undefined;
    this.#settle(reason);
  }
}

function paramsOf(
  uri: URI,
  { recursive, includes, excludes, gitignore }: WatchOptions,
): CreateResourceWatchParams {
  return {
    channel: ROOT_URI,
    uri,
    ...defined({
      recursive,
      includes: includes && { items: [...includes] },
      excludes: excludes && { items: [...excludes] },
      'x-gitignore': gitignore,
    }),
  };
}
