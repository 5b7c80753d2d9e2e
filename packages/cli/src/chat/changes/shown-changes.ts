import type { ChangesetChoice, ChangesetHandle, SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { type Environment, messageOf } from '../app/environment.ts';

/** The changesets that the panel shows, in the order in which a key goes through them. */
export const SCOPES = ['session', 'turn', 'uncommitted'] as const;

/** One of {@link SCOPES}; `turn` is the last turn of the open chat. */
export type Scope = (typeof SCOPES)[number];

/** The changeset that shows, whichever the scope. */
export class ShownChanges {
  readonly #env: Environment;
  readonly #session: SessionHandle;
  /** The last turn of the open chat. */
  readonly #lastTurn: () => { readonly chat: URI; readonly turnId: string } | undefined;
  #scope: Scope = 'session';
  #handle: ChangesetHandle | undefined;
  #turn: { readonly chat: URI; readonly turnId: string } | undefined;
  #problem: string | undefined;
  /** Counts up with each opening, so that a late one is dropped. */
  #opening = 0;
  #isDisposed = false;

  constructor(
    env: Environment,
    session: SessionHandle,
    lastTurn: () => { readonly chat: URI; readonly turnId: string } | undefined,
  ) {
    this.#env = env;
    this.#session = session;
    this.#lastTurn = lastTurn;
    this.show('session');
  }

  get scope(): Scope {
    return this.#scope;
  }

  /** `undefined` while it is being opened, and when that failed. */
  get handle(): ChangesetHandle | undefined {
    return this.#handle;
  }

  /** Why nothing shows. */
  get problem(): string | undefined {
    return this.#problem ?? this.#handle?.error?.message;
  }

  /** With scope `turn`: the turn that shows. */
  get turn(): { readonly chat: URI; readonly turnId: string } | undefined {
    return this.#turn;
  }

  /** The folders of the session. */
  get folders(): readonly URI[] {
    return this.#session.mirror.state.workingDirectories ?? [];
  }

  /** Opens the changeset of a scope in place of the present one. */
  show(scope: Scope): void {
    this.#opening += 1;
    const opening = this.#opening;
    this.#handle?.dispose();
    this.#handle = undefined;
    this.#problem = undefined;
    this.#scope = scope;
    this.#turn = scope === 'turn' ? this.#lastTurn() : undefined;
    this.#open(scope).then(
      (handle) => {
        if (this.#isDisposed || opening !== this.#opening) return handle.dispose();
        this.#handle = handle;
        handle.onChange(() => this.#env.changed());
        this.#env.changed();
      },
      (error: unknown) => {
        if (opening !== this.#opening) return;
        this.#problem = messageOf(error);
        this.#env.changed();
      },
    );
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#handle?.dispose();
  }

  async #open(scope: Scope): Promise<ChangesetHandle> {
    const changes = await this.#session.changes();
    return changes.open(scope === 'turn' ? this.#choice() : scope);
  }

  #choice(): ChangesetChoice {
    if (this.#turn === undefined) throw new Error('the chat has no turn yet');
    return this.#turn;
  }
}
