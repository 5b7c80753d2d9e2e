import { hasExited, type TerminalState } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { TerminalHostData } from '../../sync/host-data.ts';
import type { Rebuilt } from '../../sync/registry.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/** The type of the stored contents. They are not readable as resources, since their ids are URIs. */
const CONTENT_TYPE = 'application/json';

/** A turn whose history shows a terminal. */
type Use = NonNullable<TerminalHostData['usedBy']> & { readonly session: string };

/**
 * The states of removed terminals that turns have used, so that clients can subscribe to the terminals of a chat's history [CHAT-37]. A
 * state is stored as a content of the first turn that used the terminal, and is dropped with that turn.
 */
export class EndedTerminals {
  readonly #sync: Sync;

  constructor(sync: Sync) {
    this.#sync = sync;
    sync.registry.onMissing((uri) => this.#rebuild(uri));
    sync.observe('terminal', (tx, { channel, before, after }) => {
      if (before.claim === after.claim || channel.hostData.usedBy !== undefined) return;
      const usedBy = useOf(after);
      if (usedBy !== undefined) tx.setHostData(channel, { ...channel.hostData, usedBy });
    });
  }

  /** The turn that keeps a terminal after its removal. `undefined`: no turn has used it, or the turn is gone. */
  async useOf({ hostData: { usedBy } }: Channel<'terminal'>): Promise<Use | undefined> {
    const { registry, journal } = this.#sync;
    const chat = usedBy && (await registry.openOf('chat', usedBy.chat));
    if (usedBy === undefined || chat?.session === undefined) return undefined;
    const { activeTurn, turns } = chat.outline;
    const isShown = activeTurn?.id === usedBy.turnId || turns.some(({ id }) => id === usedBy.turnId);
    const isThere = isShown || (await journal.findTurn(chat.uri, usedBy.turnId)) !== undefined;
    return isThere ? { ...usedBy, session: chat.session } : undefined;
  }

  /** Stores the state of a terminal that is removed. */
  keep(tx: Tx, { uri, state }: Channel<'terminal'>, use: Use): void {
    const lifecycle = hasExited(state) ? state.lifecycle : ({ status: 'exited' } as const);
    writeEndedTerminal(tx, uri, { ...state, lifecycle }, use);
  }

  async #rebuild(uri: string): Promise<Rebuilt<'terminal'> | undefined> {
    const { journal } = this.#sync;
    const stored = uri.startsWith('ahp-terminal:') ? await journal.readContent(uri) : undefined;
    if (stored === undefined) return undefined;
    // This host wrote the value after validation.
    const state: TerminalState = JSON.parse(Buffer.from(stored.data).toString('utf8'));
    const { claim } = state;
    // The chat may have moved to another session.
    const session =
      claim.kind === 'session' ? (await journal.readChannelHead(claim.chat))?.session : undefined;
    const shown =
      claim.kind === 'session' && session !== undefined ? { ...state, claim: { ...claim, session } } : state;
    const hostData = {
      pty: '',
      offset: 0,
      titledBy: 'somebody',
      defaultTitle: state.title,
      isHistory: true,
    } as const;
    return { init: { uri, kind: 'terminal', state: shown, hostData }, seq: this.#sync.emittedSeq };
  }
}

/** Stores the state of an ended terminal with a turn that shows it. */
export function writeEndedTerminal(
  tx: Tx,
  uri: string,
  state: Omit<TerminalState, 'claim'>,
  { session, chat, turnId }: Use,
): void {
  const kept: TerminalState = { ...state, claim: { kind: 'session', session, chat } };
  const data = Buffer.from(JSON.stringify(kept), 'utf8');
  tx.write({ op: 'content', session, chat, turnId, id: uri, contentType: CONTENT_TYPE, data });
}

/** The turn that a terminal's claim names. */
export function useOf({ claim }: Pick<TerminalState, 'claim'>): TerminalHostData['usedBy'] {
  if (claim.kind !== 'session' || claim.turnId === undefined) return undefined;
  return { chat: claim.chat, turnId: claim.turnId };
}
