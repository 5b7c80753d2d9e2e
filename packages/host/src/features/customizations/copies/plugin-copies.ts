import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientPluginCustomization, PluginCustomization } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { Ids } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { SessionListing } from '../../../sessions/catalogue.ts';
import type { HeldPlugins, PreparedPlugins, TemplatePlugins } from '../../../sessions/template-plugins.ts';
import type { Channel } from '../../../sync/channel.ts';
import type { Sync } from '../../../sync/sync.ts';
import type { Tx } from '../../../sync/tx.ts';
import { fileUriOf } from '../../../workspace/file-uri.ts';
import { isMissing } from '../../../workspace/real-path.ts';
import type { AskClient } from '../client-files.ts';
import type { PublishedPlugin } from '../client-plugins.ts';
import { hostFiles } from '../host-files.ts';
import { type ReadContainer, readPlugin, readSingleFile } from '../read-container.ts';
import { resolve } from '../resolve.ts';
import { SourceFault } from '../source-files.ts';
import { CopyRoom, copyTree } from './copy-tree.ts';

const KEY = 'plugin-copies';
/** Maximum plugins of one automation. */
const MAX_PLUGINS = 10;

/** A copy of a client's plugin on the disk of the host. */
interface Copy {
  /** Name of its folder. */
  readonly folder: string;
  /** URI of the automation whose template names it. */
  readonly automation: string;
  /** As the template has it. */
  readonly plugin: ClientPluginCustomization;
  /** Name of the only file of a plugin that is a single file. */
  readonly file?: string;
  readonly byteCount: number;
  /** Number of sessions that have it. */
  readonly sessionCount: number;
  /** The template no longer has it. */
  readonly isReplaced: boolean;
}

interface CopiesParts {
  readonly sync: Sync;
  readonly ids: Ids;
  readonly log: Log;
  readonly listing: SessionListing;
  readonly dataDir: string;
  /** How a client is asked for its files; `undefined` while it is not connected. */
  ask(clientId: string): AskClient | undefined;
}

/**
 * The host's copies of plugins that templates of automations name [AUTO-14]. A copy stays until the template has it no longer, and no session
 * of a run uses it.
 */
export class PluginCopies implements TemplatePlugins {
  readonly #parts: CopiesParts;
  readonly #root: string;
  /** By folder. */
  readonly #copies: Map<string, Copy>;
  /** What was read of each copy, whose files do not change. */
  readonly #read = new Map<string, Promise<ReadContainer>>();
  /** Numbers of runs that will use a copy, by folder. */
  readonly #held = new Map<string, number>();

  private constructor(parts: CopiesParts, copies: readonly Copy[]) {
    this.#parts = parts;
    this.#root = join(parts.dataDir, 'plugins');
    this.#copies = new Map(copies.map((copy) => [copy.folder, copy]));
  }

  static async load(parts: CopiesParts): Promise<PluginCopies> {
    const text = await parts.sync.journal.readMeta(KEY);
    // `#write` wrote the value.
    const copies: Copy[] = text === undefined ? [] : JSON.parse(text);
    const all = new PluginCopies(parts, copies);
    await all.#removeStrays();
    return all;
  }

  /** Counts the sessions that are made from others, and those that are removed. */
  observe(): void {
    this.#parts.listing.onCopied((tx, { hostData: { plugins = [] } }) => {
      for (const folder of plugins) this.#count(tx, folder, 1);
    });
    this.#parts.listing.onRemoved((tx, { hostData: { plugins = [] } }) => {
      for (const folder of plugins) this.#count(tx, folder, -1);
    });
  }

  /**
   * Copies the plugins of a template from a client. Those that the automation has with the same id, URI and nonce are kept. Resolves with a text
   * for people if one of them cannot be copied; then nothing is left of the others.
   */
  async prepare(
    automation: string,
    plugins: readonly ClientPluginCustomization[],
    clientId: string,
  ): Promise<PreparedPlugins | string> {
    if (plugins.length > MAX_PLUGINS) return `expected at most ${MAX_PLUGINS}, got ${plugins.length}`;
    if (new Set(plugins.map(({ id }) => id)).size < plugins.length) return 'two of them have the same id';
    const current = this.#currentOf(automation);
    const known = (plugin: ClientPluginCustomization): Copy | undefined =>
      current.find((copy) => isSame(copy.plugin, plugin));
    const kept = plugins.flatMap((plugin) => known(plugin) ?? []);
    const room = new CopyRoom(kept.reduce((sum, { byteCount }) => sum + byteCount, 0));
    const wanted: Copy[] = [];
    const discard = (): void => {
      for (const { folder } of wanted) if (!this.#copies.has(folder)) this.#remove(folder);
    };
    const shown: PluginCustomization[] = [];
    for (const plugin of plugins) {
      const present = known(plugin);
      const copy = present ?? (await this.#copy(plugin, { automation, clientId, room }));
      if (typeof copy === 'string') {
        discard();
        return `${plugin.name}: ${copy}`;
      }
      const next = { ...copy, plugin };
      wanted.push(next);
      shown.push(await this.#shown(next));
    }
    return {
      shown,
      discard,
      isCurrent: () => kept.every(({ folder }) => this.#copies.get(folder)?.isReplaced === false),
      settle: (tx) => this.#settle(tx, automation, wanted),
    };
  }

  /** Forgets the copies of an automation that is removed. Sessions keep them. */
  drop(tx: Tx, automation: string): void {
    this.#settle(tx, automation, []);
  }

  /** Keeps the copies that an automation has now for a run that is starting, until `release`. */
  hold(automation: string): HeldPlugins {
    const folders = this.#currentOf(automation).map(({ folder }) => folder);
    for (const folder of folders) this.#held.set(folder, (this.#held.get(folder) ?? 0) + 1);
    return {
      attach: (tx, session) => {
        if (folders.length === 0) return;
        tx.setHostData(session, { ...session.hostData, plugins: folders });
        for (const folder of folders) this.#count(tx, folder, 1);
      },
      release: () => {
        for (const folder of folders) {
          this.#held.set(folder, (this.#held.get(folder) ?? 0) - 1);
          this.#removeUnused(folder);
        }
      },
    };
  }

  /** Whether a session has a copy with this id. */
  has(session: Channel<'session'>, id: string): boolean {
    return this.#of(session).some(({ plugin }) => plugin.id === id);
  }

  /** The copies that a session has, in the order of the template. Never rejects for a file that cannot be read. */
  readFor(session: Channel<'session'>): Promise<readonly PublishedPlugin[]> {
    return Promise.all(
      this.#of(session).map(async (copy) => ({
        plugin: copy.plugin,
        container: await this.#container(copy),
      })),
    );
  }

  #of({ hostData: { plugins = [] } }: Channel<'session'>): readonly Copy[] {
    return plugins.flatMap((folder) => this.#copies.get(folder) ?? []);
  }

  #currentOf(automation: string): readonly Copy[] {
    return [...this.#copies.values()].filter((copy) => copy.automation === automation && !copy.isReplaced);
  }

  /** The new copy, or why there is none. */
  async #copy(
    plugin: ClientPluginCustomization,
    { automation, clientId, room }: { automation: string; clientId: string; room: CopyRoom },
  ): Promise<Copy | string> {
    const ask = this.#parts.ask(clientId);
    if (ask === undefined) return 'its client is not connected';
    const folder = this.#parts.ids.next();
    const target = join(this.#root, folder);
    try {
      const copied = await copyTree(ask, { uri: plugin.uri, target, room });
      return { folder, automation, plugin, ...copied, sessionCount: 0, isReplaced: false };
    } catch (error) {
      await rm(target, { recursive: true, force: true });
      return error instanceof SourceFault ? error.message : `its client did not give it: ${errorText(error)}`;
    }
  }

  #settle(tx: Tx, automation: string, wanted: readonly Copy[]): void {
    const folders = wanted.map(({ folder }) => folder);
    const before = this.#currentOf(automation);
    if (before.length === 0 && wanted.length === 0) return;
    for (const copy of before)
      if (!folders.includes(copy.folder)) this.#set(tx, copy.folder, { ...copy, isReplaced: true });
    // Their order is that of the template.
    for (const copy of wanted) {
      const { sessionCount = 0 } = this.#copies.get(copy.folder) ?? {};
      this.#set(tx, copy.folder, undefined);
      this.#set(tx, copy.folder, { ...copy, sessionCount });
    }
    this.#write(tx);
    tx.effect(() => {
      for (const { folder } of before) this.#removeUnused(folder);
    });
  }

  #count(tx: Tx, folder: string, by: 1 | -1): void {
    const copy = this.#copies.get(folder);
    if (copy === undefined) return;
    this.#set(tx, folder, { ...copy, sessionCount: copy.sessionCount + by });
    this.#write(tx);
    tx.effect(() => this.#removeUnused(folder));
  }

  #set(tx: Tx, folder: string, copy: Copy | undefined): void {
    const before = [...this.#copies];
    tx.undo(() => {
      this.#copies.clear();
      for (const [key, value] of before) this.#copies.set(key, value);
    });
    if (copy === undefined) this.#copies.delete(folder);
    else this.#copies.set(folder, copy);
  }

  #write(tx: Tx): void {
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify([...this.#copies.values()]) });
  }

  #isUsed({ folder, isReplaced, sessionCount }: Copy): boolean {
    return !isReplaced || sessionCount > 0 || (this.#held.get(folder) ?? 0) > 0;
  }

  #removeUnused(folder: string): void {
    const copy = this.#copies.get(folder);
    if (copy === undefined || this.#isUsed(copy)) return;
    this.#parts.sync.transact('host', (tx) => {
      this.#set(tx, folder, undefined);
      this.#write(tx);
      tx.effect(() => this.#remove(folder));
    });
  }

  #remove(folder: string): void {
    this.#read.delete(folder);
    this.#held.delete(folder);
    rm(join(this.#root, folder), { recursive: true, force: true }).catch((error: unknown) =>
      this.#parts.log.warn({ folder, error: errorText(error) }, 'a copy of a plugin was not removed'),
    );
  }

  /** Removes copies that a killed host left behind. */
  async #removeStrays(): Promise<void> {
    for (const copy of this.#copies.values()) if (!this.#isUsed(copy)) this.#copies.delete(copy.folder);
    try {
      for (const folder of await readdir(this.#root))
        if (!this.#copies.has(folder)) await rm(join(this.#root, folder), { recursive: true, force: true });
    } catch (error) {
      if (!isMissing(error))
        this.#parts.log.warn({ error: errorText(error) }, 'old copies of plugins were not removed');
    }
  }

  #container(copy: Copy): Promise<ReadContainer> {
    const { folder, file, plugin } = copy;
    const known = this.#read.get(folder);
    if (known !== undefined) return known;
    const root = join(this.#root, folder);
    // The folder is below the private data of the host, and holds nothing of it.
    const files = hostFiles({ root, isConfined: true, privatePaths: { covers: async () => false } });
    const identity = { id: plugin.id, name: plugin.name, uri: fileUriOf(join(root, file ?? '')) };
    const reading = (
      file === undefined
        ? readPlugin(files, { path: '', identity })
        : readSingleFile(files, { name: file, identity })
    ).then(({ container, children }) => ({
      container,
      children: children.map((child) => ({ ...child, copyRoot: root })),
    }));
    this.#read.set(folder, reading);
    return reading;
  }

  async #shown(copy: Copy): Promise<PluginCustomization> {
    const { customization } = resolve(await this.#container(copy), {
      decisionsOf: () => [],
      published: copy.plugin,
    });
    if (customization.type !== 'plugin') throw new Error('a copy of a plugin is no plugin');
    return { ...customization, ...defined({ icons: copy.plugin.icons }) };
  }
}

const isSame = (one: ClientPluginCustomization, other: ClientPluginCustomization): boolean =>
  one.id === other.id && one.uri === other.uri && one.nonce === other.nonce;
