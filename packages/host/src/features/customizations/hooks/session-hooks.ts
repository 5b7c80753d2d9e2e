import type { CustomizationEnablement } from '@agenthost/protocol';
import type { ChildRegistry } from '../../../agents/provider.ts';
import { beginningOf } from '../../../lib/beginning-of.ts';
import type { Timers } from '../../../lib/clock.ts';
import type { Channel } from '../../../sync/channel.ts';
import type { Sync } from '../../../sync/sync.ts';
import type { ParsedChild } from '../child.ts';
import type { Decisions } from '../decisions.ts';
import type { HookConsents } from './hook-consents.ts';
import { askAboutHooks, shownCommand } from './hook-question.ts';
import { type HookedTurn, TurnHooks } from './turn-hooks.ts';

/** Key of `_meta` of a hook in state: what it runs, and whether a person has allowed that. */
const HOOK_META = 'agenthost.hook';

/** Maximum commands of a hook in state, and characters of each. */
const MAX_SHOWN = 20;
const MAX_SHOWN_LENGTH = 300;

/** What hooks need of the host. */
export interface SessionHooksParts {
  readonly sync: Sync;
  readonly timers: Timers;
  readonly children: ChildRegistry;
  readonly decisions: Decisions;
  readonly consents: HookConsents;
  /** Absolute path of the folder that a chat works in. Rejects with `AgentError` if it no longer exists. */
  workingDirectoryOf(session: Channel<'session'>, chat: Channel<'chat'>): Promise<string>;
}

/** What is remembered of a session while it is in memory. */
interface Entry {
  /** Ids and commands of the hooks that a person does not want to be asked about again. */
  skipped: string;
  asking: Promise<void>;
  hasStarted: boolean;
}

/** The hooks of sessions: asks about them, and runs those that are allowed. */
export class SessionHooks {
  readonly #parts: SessionHooksParts;
  readonly #entries = new Map<string, Entry>();

  constructor(parts: SessionHooksParts) {
    this.#parts = parts;
  }

  /** Fields for the state of a hook. */
  metaOf(hook: ParsedChild): Record<string, unknown> {
    const commands = (hook.commands ?? [])
      .slice(0, MAX_SHOWN)
      .map((each) => beginningOf(shownCommand(each), MAX_SHOWN_LENGTH));
    return { [HOOK_META]: { commands, allowed: this.#parts.consents.has(hook) } };
  }

  /**
   * The hooks of a turn, after the question about those that nobody has allowed yet. `undefined`: none run, or the turn has ended. `decided`:
   * called when state has changed. Rejects if the folder of the chat does not exist.
   */
  async begin(
    turn: Omit<HookedTurn, 'folder'>,
    hooks: readonly ParsedChild[],
    decided: () => Promise<void>,
  ): Promise<{ readonly turn: TurnHooks; readonly source: 'startup' | 'resume' | undefined } | undefined> {
    const { sync, consents } = this.#parts;
    const [session, chat] = [
      sync.registry.getOf('session', turn.session),
      sync.registry.getOf('chat', turn.chat),
    ];
    const runnable = hooks.filter(({ commands = [] }) => commands.length > 0);
    if (runnable.length === 0 || session === undefined || chat === undefined) return undefined;
    const entry = this.#entryOf(session.uri);
    await this.#ask(entry, turn, { session, hooks: runnable, decided });
    const allowed = runnable.filter((hook) => consents.has(hook));
    if (allowed.length === 0 || turn.signal.aborted) return undefined;
    const folder = await this.#parts.workingDirectoryOf(session, chat);
    const isNew = session.state.chats.length === 1 && chat.hostData.turnCount === 0;
    const source = entry.hasStarted ? undefined : isNew ? 'startup' : 'resume';
    entry.hasStarted = true;
    return { turn: new TurnHooks(this.#parts, { ...turn, folder }, allowed), source };
  }

  /** Forgets a session that is no longer in memory. */
  forget(session: string): void {
    this.#entries.delete(session);
  }

  #entryOf(session: string): Entry {
    const known = this.#entries.get(session);
    if (known !== undefined) return known;
    const entry: Entry = { skipped: '', asking: Promise.resolve(), hasStarted: false };
    this.#entries.set(session, entry);
    return entry;
  }

  /** Chats that start a turn at the same time ask once. */
  #ask(
    entry: Entry,
    { output }: Omit<HookedTurn, 'folder'>,
    {
      session,
      hooks,
      decided,
    }: { session: Channel<'session'>; hooks: readonly ParsedChild[]; decided: () => Promise<void> },
  ): Promise<void> {
    const asked = entry.asking.then(async () => {
      const undecided = hooks.filter((hook) => !this.#parts.consents.has(hook));
      const shown = JSON.stringify(undecided.map(({ child, commands }) => [child.id, commands]));
      if (undecided.length === 0 || shown === entry.skipped) return;
      const answer = await askAboutHooks(output, undecided);
      if (answer === undefined) return;
      // One that is refused is disabled, which state shows and a person can take back.
      if (answer === 'allow') await this.#parts.consents.allow(undecided);
      else if (answer === 'refuse') for (const { child } of undecided) this.#disable(session, child.id);
      else entry.skipped = shown;
      await decided();
    });
    entry.asking = asked.catch(() => undefined);
    return asked;
  }

  #disable(session: Channel<'session'>, id: string): void {
    const { sync, decisions } = this.#parts;
    const [uri] = session.state.workingDirectories ?? [];
    const refused: CustomizationEnablement =
      uri === undefined ? { kind: 'session', enabled: false } : { kind: 'workspace', uri, enabled: false };
    const others = decisions
      .of(session, id)
      .filter(({ kind }) => kind !== refused.kind && kind !== 'session');
    sync.transact('host', (tx) =>
      decisions.replace(tx, session, id, { enablement: [refused, ...others], keepsGlobal: false }),
    );
  }
}
