import { randomId } from '@agenthost/client';
import { saveStates } from '../offline/save-states.ts';
import { SavedStates } from '../offline/saved-states.ts';
import { Emitter } from './emitter.ts';
import { forgetHosts, inStorages } from './forget-hosts.ts';
import { type HostAddress, HostLink, type LinkParts } from './host-link.ts';
import { createSetting } from './setting.ts';

/** Id of the host that served the page. */
export const OWN_HOST = 'own';

const isAddress = (value: unknown): value is HostAddress =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'url', 'name'].every((key) => typeof Reflect.get(value, key) === 'string');

/** Other hosts that this browser knows. */
const otherHosts = createSetting<readonly HostAddress[]>('hosts', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isAddress) : [],
);

/** All hosts of the page: the one that served it, and those that the person added. */
export class Hosts {
  readonly #parts: LinkParts;
  readonly #changed = new Emitter();
  #links: readonly HostLink[];
  readonly #saving = new Map<HostLink, () => void>();
  #isStarted = false;

  /** `own`: URL of the host that served the page. */
  constructor(own: string, parts: LinkParts) {
    this.#parts = parts;
    const addresses = [{ id: OWN_HOST, url: own, name: new URL(own).host }, ...otherHosts.value];
    this.#links = addresses.map((address) => this.#link(address));
    // The message field of a removed host may have saved its draft after the removal.
    this.#forgetOthers();
  }

  /** The links, that of the page's own host first. The same array until a host is added or removed. */
  get links(): readonly HostLink[] {
    return this.#links;
  }

  /** Calls `listener` after a host was added or removed. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  /** The link of an id; that of the page's own host for an unknown id. */
  link(id: string | undefined): HostLink {
    const found = this.#links.find(({ address }) => address.id === id) ?? this.#links[0];
    if (found === undefined) throw new Error('the page has no host');
    return found;
  }

  /** Connects to all hosts. Does nothing when called again. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const link of this.#links) link.start();
  }

  /** Checks the connections to all hosts at once. `withinMs`: time in which they must answer. Default: the client's. */
  checkNow(withinMs?: number): void {
    for (const link of this.#links) link.checkNow(withinMs);
  }

  /** Adds a host and connects to it. */
  add(address: Omit<HostAddress, 'id'>): HostLink {
    const added = { ...address, id: randomId() };
    otherHosts.set([...otherHosts.value, added]);
    const link = this.#link(added);
    this.#links = [...this.#links, link];
    link.start();
    this.#changed.emit();
    return link;
  }

  /** Removes a host. The page's own host stays. */
  remove(id: string): void {
    if (id === OWN_HOST) return;
    otherHosts.set(otherHosts.value.filter((each) => each.id !== id));
    const removed = this.#links.find(({ address }) => address.id === id);
    if (removed === undefined) return;
    removed.close();
    this.#saving.get(removed)?.();
    this.#saving.delete(removed);
    new SavedStates(id).clear().catch(() => undefined);
    this.#links = this.#links.filter(({ address }) => address.id !== id);
    this.#changed.emit();
    this.#forgetOthers();
  }

  /** Deletes drafts and unanswered actions of hosts that were removed. */
  #forgetOthers(): void {
    const kept = [OWN_HOST, ...otherHosts.value.map(({ id }) => id)];
    inStorages((storage) => forgetHosts(storage, kept));
  }

  #link(address: HostAddress): HostLink {
    const link = new HostLink(address, this.#parts);
    this.#saving.set(link, saveStates(link));
    return link;
  }
}
