import type { Changeset, URI } from '@agenthost/protocol';
import { NoSuchChangeset } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { ChangesetHandle, type ChangesetPort } from './changeset-handle.ts';
import { expandTemplate, variablesOf } from './uri-template.ts';

/** The requests of a client that the handle of changes makes. */
export interface ChangesPort extends ChangesetPort {
  subscribe<K extends 'changeset' | 'chat'>(uri: URI, options: { readonly kind: K }): Promise<Mirror<K>>;
}

/**
 * A changeset: everything of the session or chat (`session`), what differs from the last commit (`uncommitted`) or from the default branch
 * (`branch`), another kind of the catalogue, a turn, what changed between the ends of two turns, or everything of a chat.
 */
export type ChangesetChoice =
  | string
  | { readonly turnId: string }
  | { readonly originalTurnId: string; readonly modifiedTurnId: string }
  | { readonly chat: URI; readonly turnId?: string };

interface Owner {
  /** URI of the session or chat. */
  readonly uri: URI;
  /** The present catalogue. */
  readonly catalogue: () => readonly Changeset[] | undefined;
}

/** The changesets of a session or of a chat [CS-1] [CHAT-43]. */
export class Changes {
  readonly #owner: Owner;
  readonly #port: ChangesPort;

  constructor(owner: Owner, port: ChangesPort) {
    this.#owner = owner;
    this.#port = port;
  }

  /** The changesets that the host offers now. The mirror of the session or chat tells when they change. */
  get catalogue(): readonly Changeset[] {
    return this.#owner.catalogue() ?? [];
  }

  /**
   * Opens a changeset; by default everything that turns of the session or chat have changed. Dispose the handle after use. Rejects with
   * `NoSuchChangeset` when the host does not offer it, and like `subscribe`: a turn that was not recorded has no changeset.
   */
  async open(choice: ChangesetChoice = 'session'): Promise<ChangesetHandle> {
    if (typeof choice === 'object' && 'chat' in choice) return this.#openOfChat(choice);
    return this.#open(this.#owner.uri, this.catalogue, choice);
  }

  async #openOfChat({
    chat,
    turnId,
  }: {
    readonly chat: URI;
    readonly turnId?: string;
  }): Promise<ChangesetHandle> {
    const mirror = await this.#port.subscribe(chat, { kind: 'chat' });
    try {
      const choice = turnId === undefined ? 'session' : { turnId };
      return await this.#open(chat, mirror.state.changesets ?? [], choice);
    } finally {
      mirror.dispose();
    }
  }

  async #open(
    owner: URI,
    catalogue: readonly Changeset[],
    choice: Exclude<ChangesetChoice, { readonly chat: URI }>,
  ): Promise<ChangesetHandle> {
    const values = typeof choice === 'string' ? {} : choice;
    const kind = typeof choice === 'string' ? choice : 'originalTurnId' in choice ? 'compare-turns' : 'turn';
    const entry = catalogue.find(
      ({ changeKind, uriTemplate }) =>
        changeKind === kind && variablesOf(uriTemplate).every((name) => Object.hasOwn(values, name)),
    );
    if (entry === undefined) throw new NoSuchChangeset(owner, kind);
    const uri = expandTemplate(entry.uriTemplate, { ...values });
    return new ChangesetHandle(await this.#port.subscribe(uri, { kind: 'changeset' }), this.#port);
  }
}
