import { basename, isAbsolute } from 'node:path';
import {
  type AgentAvailability,
  AgentError,
  type AgentProvider,
  type AgentSession,
  type ClientToken,
  type CompleteConfig,
  type OpenAgentSession,
  type ProviderStart,
  type ResolvedConfig,
} from '@agenthost/host/agent';
import type { AgentInfo, SessionConfigValueItem } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import { type AcpTimers, orAbort, processTimers, withDeadline } from '../acp/runtime.ts';
import { type FoundPackage, findPackage, type UnusablePackage } from './find-package.ts';
import { checkInfo, loadPackage, WrongExport } from './load-package.ts';
import type { PackageEntry } from './package-entry.ts';

/** What the provider of a package needs. */
export interface PackageProviderOptions extends Pick<ProviderStart, 'children' | 'log'> {
  /** Absolute paths of folders with a `node_modules` that may hold the package, in the order of the search. */
  readonly folders: readonly string[];
  /** Command that installs a missing package, for people. Default: none. */
  readonly install?: string;
  /** Timers. Default: those of the process. */
  readonly timers?: AcpTimers;
  /** Time limit for the import of the package and the creation of its provider, in milliseconds. Default 30,000. */
  readonly loadTimeoutMs?: number;
}

/** Availability of an agent whose package is not loaded. */
export function lookAtPackage(
  entry: PackageEntry,
  { folders, install }: Pick<PackageProviderOptions, 'folders' | 'install'>,
): AgentAvailability {
  const found = findPackage(entry.package, folders);
  if ('reason' in found)
    return {
      available: false,
      reason: found.reason,
      ...defined({ install: found.isMissing ? install : undefined }),
    };
  return { available: true, ...sourceOf(found) };
}

/**
 * Creates a provider for an entry that names a package, and starts to load the package. Never throws: a package that is missing, fails or
 * exports the wrong thing is an agent that cannot be used, and `availability` says why.
 */
export function createPackageProvider(entry: PackageEntry, options: PackageProviderOptions): AgentProvider {
  return new PackageProvider(entry, options);
}

type State =
  | { readonly kind: 'loading'; readonly done: Promise<AgentProvider> }
  | { readonly kind: 'loaded'; readonly provider: AgentProvider }
  | { readonly kind: 'missing'; readonly reason: string; readonly install: string | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

class PackageProvider implements AgentProvider {
  readonly id: string;
  readonly #entry: PackageEntry;
  readonly #options: PackageProviderOptions;
  readonly #timers: AcpTimers;
  readonly #listeners = new Set<() => void>();
  #state: State;
  #found: FoundPackage | undefined;
  /** The last description that could be used. */
  #info: AgentInfo;
  /** Why the last description could not be used. */
  #infoFault: string | undefined;
  #leaveInfo: (() => void) | undefined;
  #isDisposed = false;

  constructor(entry: PackageEntry, options: PackageProviderOptions) {
    this.id = entry.id;
    this.#entry = entry;
    this.#options = options;
    this.#timers = options.timers ?? processTimers;
    const displayName = entry.displayName ?? entry.id;
    this.#info = { provider: entry.id, displayName, description: '', models: [] };
    this.#state = this.#begin();
  }

  get takesHistory(): boolean {
    return this.#loaded?.takesHistory !== false;
  }

  describe(): AgentInfo {
    return this.#info;
  }

  onInfoChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async availability(): Promise<AgentAvailability> {
    // Somebody may have installed it since.
    if (this.#state.kind === 'missing') this.#state = this.#begin();
    if (this.#state.kind === 'loading') await this.#state.done.catch(() => undefined);
    const state = this.#state;
    const named = { package: nameOf(this.#entry.package, this.#found) };
    const source = { ...sourceOf(this.#found), ...named };
    switch (state.kind) {
      case 'missing':
        return { available: false, reason: state.reason, ...named, ...defined({ install: state.install }) };
      case 'failed':
        return { available: true, ...source, failure: state.reason };
      case 'loading':
        return { available: true, ...source };
      case 'loaded':
        return { ...source, ...(await this.#ask(state.provider)) };
      default:
        return state satisfies never;
    }
  }

  async resolveConfig(input: {
    workingDirectory: string;
    values: Readonly<Record<string, unknown>>;
  }): Promise<ResolvedConfig | undefined> {
    // A package that cannot be used has no config. Opening a session of it says why.
    const provider = await this.#load().catch(() => undefined);
    return provider?.resolveConfig?.(input);
  }

  async completeConfig(input: CompleteConfig): Promise<readonly SessionConfigValueItem[] | undefined> {
    return this.#loaded?.completeConfig?.(input);
  }

  canResumeTurns(memory: unknown): boolean {
    return this.#loaded?.canResumeTurns?.(memory) === true;
  }

  async authenticate(token: ClientToken): Promise<void> {
    await this.#loaded?.authenticate?.(token);
  }

  async setKey(key: string): Promise<void> {
    const provider = await this.#load();
    if (provider.setKey === undefined) throw this.#error('takes no key');
    await provider.setKey(key);
  }

  forgetGrants(chat: string): void {
    this.#loaded?.forgetGrants?.(chat);
  }

  async openSession(open: OpenAgentSession, signal: AbortSignal): Promise<AgentSession> {
    const provider = await orAbort(this.#load(), signal, () => undefined);
    const session = await provider.openSession(open, signal);
    const lacking = (['runTurn', 'close', 'terminate'] as const).filter(
      (name) => typeof session?.[name] !== 'function',
    );
    if (lacking.length > 0) throw this.#error(`opened a session without ${lacking.join(', ')}`);
    return session;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const provider = this.#loaded;
    if (provider !== undefined) await this.#end(provider);
  }

  get #loaded(): AgentProvider | undefined {
    return this.#state.kind === 'loaded' ? this.#state.provider : undefined;
  }

  /** Resolves with the provider once it is there. Rejects with `AgentError`. */
  async #load(): Promise<AgentProvider> {
    if (this.#state.kind === 'missing') this.#state = this.#begin();
    const state = this.#state;
    switch (state.kind) {
      case 'loaded':
        return state.provider;
      case 'loading':
        return state.done;
      case 'missing': {
        const how = state.install === undefined ? '' : `; \`${state.install}\` installs it`;
        throw new AgentError('agentMissing', `${this.#info.displayName}: ${state.reason}${how}`);
      }
      case 'failed':
        throw new AgentError('agentError', `${this.#info.displayName}: ${state.reason}`);
      default:
        return state satisfies never;
    }
  }

  #begin(): State {
    const { folders, install } = this.#options;
    const found = findPackage(this.#entry.package, folders);
    if (isUnusable(found)) {
      return found.isMissing
        ? { kind: 'missing', reason: found.reason, install }
        : { kind: 'failed', reason: found.reason };
    }
    this.#found = found;
    const done = this.#import(found);
    // Whoever opens a session or asks for the availability is told.
    done.catch(() => undefined);
    return { kind: 'loading', done };
  }

  async #import(found: FoundPackage): Promise<AgentProvider> {
    const { children, log, loadTimeoutMs = 30_000 } = this.#options;
    const settings = this.#entry.settings ?? {};
    const loading = loadPackage(found.entry, { id: this.id, settings, children, log });
    let isLate = false;
    // A provider that comes too late must not stay behind.
    loading.then(
      (provider) => (isLate || this.#isDisposed ? this.#end(provider) : undefined),
      () => undefined,
    );
    try {
      const provider = await withDeadline(loading, this.#timers, loadTimeoutMs, () => {
        isLate = true;
        return new WrongExport(`was not ready within ${loadTimeoutMs / 1_000} s`);
      });
      if (this.#isDisposed) throw new WrongExport('was loaded while the host stopped');
      const info = checkInfo(provider.describe(), this.id);
      this.#state = { kind: 'loaded', provider };
      this.#setInfo(info);
      this.#leaveInfo = provider.onInfoChanged?.(() => this.#readInfo(provider));
      log('info', 'agent package loaded', { agent: this.id, package: found.name, entry: found.entry });
      return provider;
    } catch (cause) {
      const error = this.#error(
        cause instanceof WrongExport ? cause.message : `failed: ${errorText(cause)}`,
        cause,
      );
      // Node keeps a module that failed: the next import of it fails in the same way.
      this.#state = { kind: 'failed', reason: `${error.message}. Restart the host after a fix` };
      log('warn', 'agent package cannot be used', {
        agent: this.id,
        entry: found.entry,
        error: error.message,
      });
      throw error;
    }
  }

  #readInfo(provider: AgentProvider): void {
    try {
      this.#setInfo(checkInfo(provider.describe(), this.id));
    } catch (cause) {
      // Clients keep the last description.
      this.#infoFault = this.#error(cause instanceof WrongExport ? cause.message : errorText(cause)).message;
      this.#options.log('warn', 'agent package described itself wrongly', {
        agent: this.id,
        error: this.#infoFault,
      });
    }
  }

  #setInfo(info: AgentInfo): void {
    this.#infoFault = undefined;
    this.#info = { ...info, ...defined({ displayName: this.#entry.displayName }) };
    for (const listener of this.#listeners) listener();
  }

  async #ask(provider: AgentProvider): Promise<AgentAvailability> {
    try {
      const found: unknown = await provider.availability();
      if (!isAvailability(found)) throw new WrongExport('availability() must return { available: boolean }');
      return { ...found, ...defined({ failure: found.failure ?? this.#infoFault }) };
    } catch (cause) {
      return {
        available: true,
        failure: this.#error(`cannot say whether it works: ${errorText(cause)}`).message,
      };
    }
  }

  async #end(provider: AgentProvider): Promise<void> {
    try {
      this.#leaveInfo?.();
      this.#leaveInfo = undefined;
      await provider.dispose();
    } catch (cause) {
      this.#options.log('warn', 'agent package could not be ended', {
        agent: this.id,
        error: errorText(cause),
      });
    }
  }

  #error(what: string, cause?: unknown): AgentError {
    const options = cause === undefined ? undefined : { cause };
    return new AgentError('agentError', `The package ${this.#entry.package} ${what}`, options);
  }
}

const isUnusable = (found: FoundPackage | UnusablePackage): found is UnusablePackage => 'reason' in found;

const isAvailability = (value: unknown): value is AgentAvailability =>
  typeof value === 'object' && value !== null && 'available' in value && typeof value.available === 'boolean';

/** The name of a package for people. A folder is not shown to everybody. */
const nameOf = (named: string, found: FoundPackage | undefined): string =>
  found?.name ?? (isAbsolute(named) ? basename(named) : named);

const sourceOf = (found: FoundPackage | undefined): { version?: string; source?: string } =>
  found === undefined ? {} : { source: found.entry, ...defined({ version: found.version }) };
