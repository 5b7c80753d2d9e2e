import {
  ACTION_CHANNEL,
  type ActionEnvelope,
  type ActionOrigin,
  type ChannelAction,
  type ChannelKind,
  type DispatchActionParams,
  findActionFault,
  isWithinScope,
  type StateAction,
  scopeOfAction,
  sizeText,
} from '@agenthost/protocol';
import { type CheckedAction, validateAction, validateParams } from '@agenthost/protocol/validate';
import { defined } from '@agenthost/protocol/values';
import {
  type ChannelModule,
  type ChannelModules,
  type Plan,
  type Planned,
  type Rejection,
  reject,
} from '../../handler-port/channel-module.ts';
import { JournalError } from '../../journal/journal.ts';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
import { JournalUnavailable } from '../../sync/commit-path.ts';
import { EncodedEnvelope } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { DispatchOrigin, Tx } from '../../sync/tx.ts';
import type { Clients } from '../clients/clients.ts';
import { type Connection } from '../connection/connection.ts';
import { outlineOf, withoutLongTexts } from './action-outline.ts';
import { withAuthor, withoutAuthor } from './authorship.ts';
import { authorOf, beyondSentence, callerOf, scopeRefusal, scopeSentence } from './caller.ts';
import { planChoice } from './choices.ts';
import type { SessionRights } from './session-rights.ts';

/** A dispatch whose action is not checked yet. */
type Incoming = Omit<DispatchActionParams, 'action'> & { action?: unknown };

/** Checks, applies and answers the actions that clients dispatch [ACT-2] to [ACT-8]. */
export class Dispatcher {
  readonly #sync: Sync;
  readonly #clients: Clients<Connection>;
  readonly #modules: ChannelModules;
  readonly #rights: SessionRights;
  readonly #log: Log;

  constructor(parts: {
    sync: Sync;
    clients: Clients<Connection>;
    modules: ChannelModules;
    rights: SessionRights;
    log: Log;
  }) {
    this.#rights = parts.rights;
    this.#sync = parts.sync;
    this.#clients = parts.clients;
    this.#modules = parts.modules;
    this.#log = parts.log;
  }

  /** Handles one `dispatchAction`. Returns a promise if it has to wait for the disk; otherwise the dispatch is settled when this returns. */
  dispatch(connection: Connection, params: unknown): Promise<void> | undefined {
    if (!connection.isOnline || connection.isEnding) return undefined;
    const checked = validateParams('dispatchAction', params);
    if (!checked.ok) {
      this.#log.warn({ client: connection.online.client.id, error: checked.error }, 'a dispatch was dropped');
      return undefined;
    }
    const { client } = connection.online;
    const incoming = checked.params;
    const epoch = epochOf(connection, incoming);
    if (epoch !== undefined && incoming.clientSeq <= client.lastClientSeq) {
      return this.#answerAgain(connection, incoming, epoch);
    }
    const channel = this.#sync.registry.use(incoming.channel);
    const handling =
      channel === undefined
        ? this.#openFirst(connection, incoming)
        : this.#check(connection, incoming, channel);
    return handling?.catch((error: unknown) => this.#failed(connection, incoming, error));
  }

  /** Rejects a dispatch for which the journal could not be read. Nothing has changed. */
  #failed(connection: Connection, incoming: Incoming, error: unknown): void {
    // The host has stopped and has closed the connection.
    if (error instanceof JournalError && error.code === 'closed') return;
    this.#log.error({ error, channel: incoming.channel }, 'a dispatch failed inside the host');
    if (!connection.isClosed) this.#refuse(connection, incoming, UNREADABLE);
  }

  async #openFirst(connection: Connection, incoming: Incoming): Promise<void> {
    const channel = await this.#sync.registry.open(incoming.channel);
    if (connection.isClosed) return;
    // A dispatch to an unknown channel gets no answer, and counts as processed when it is sent again [ACT-4].
    if (channel === undefined) this.#settle(connection, incoming, () => undefined);
    else await this.#check(connection, incoming, channel);
  }

  #check(connection: Connection, incoming: Incoming, channel: Channel): Promise<void> | undefined {
    // As for a channel that does not exist.
    if (!connection.sight.sees(channel)) return void this.#settle(connection, incoming, () => undefined);
    const given = channel.is('session') ? connection.translator.choice(incoming.action) : undefined;
    if (given !== undefined && channel.is('session')) {
      const choosing = { session: channel, action: echoOf(incoming.action), given };
      return this.#follow(connection, incoming, channel, planChoice(this.#sync, connection, choosing));
    }
    const unsigned = withoutAuthor(incoming.action);
    const action = connection.translator.action(unsigned, channel.uri, channel.state);
    const checked = validateAction(action);
    if (!checked.ok || !isOnChannel(channel, checked.action)) {
      this.#refuse(connection, incoming, unfit(checked, channel));
      return undefined;
    }
    const { type } = checked.action;
    const least = scopeOfAction(checked.action);
    if (least === undefined) {
      this.#refuse(connection, incoming, reject('notDispatchable', `${type} is the host's own action`));
      return undefined;
    }
    const { scope } = connection.identity;
    const allowed = isWithinScope(scope, least)
      ? undefined
      : this.#rights.ofAction(connection, channel, checked.action, least);
    if (allowed?.isAllowed === false && allowed.beyond !== undefined) {
      this.#refuse(connection, incoming, reject('permissionDenied', beyondSentence(type, allowed.beyond)));
      return undefined;
    }
    if (allowed?.isAllowed === false) {
      const asked = type === 'session/configChanged' ? checked.action : {};
      const refusal = scopeRefusal(type, asked, { held: allowed.held, needed: least });
      this.#refuse(connection, incoming, reject('permissionDenied', scopeSentence(refusal), refusal));
      return undefined;
    }
    const tooLarge = findActionFault(checked.action);
    if (tooLarge !== undefined) {
      // The sender has the whole action.
      const echoed = { ...incoming, action: outlineOf(checked.action) };
      this.#refuse(connection, echoed, reject('tooLarge', sizeText(tooLarge), tooLarge));
      return undefined;
    }
    return this.#plan(connection, incoming, channel, withAuthor(checked.action, authorOf(connection)));
  }

  #plan<K extends ChannelKind>(
    connection: Connection,
    incoming: Incoming,
    channel: Channel<K>,
    action: ChannelAction[K],
  ): Promise<void> | undefined {
    const module: ChannelModule<K> | undefined = this.#modules[channel.kind];
    const planned =
      module === undefined
        ? reject('notSupported', `This host takes no actions on ${channel.kind} channels`)
        : module.plan(channel, action, callerOf(connection));
    return this.#follow(connection, incoming, channel, planned);
  }

  #follow<K extends ChannelKind>(
    connection: Connection,
    incoming: Incoming,
    channel: Channel<K>,
    planned: Planned<K>,
  ): Promise<void> | undefined {
    if (planned instanceof Promise)
      return planned.then((again) =>
        connection.isClosed ? undefined : this.#follow(connection, incoming, channel, again()),
      );
    if ('code' in planned) this.#refuse(connection, incoming, planned);
    else if (planned.isPrivate === true) this.#applyPrivately(connection, incoming, channel, planned);
    else this.#apply(connection, incoming, channel, planned);
    return undefined;
  }

  #apply<K extends ChannelKind>(
    connection: Connection,
    incoming: Incoming,
    channel: Channel<K>,
    plan: Plan<K>,
  ): void {
    const { client } = connection.online;
    const origin: DispatchOrigin = {
      clientId: client.id,
      clientSeq: incoming.clientSeq,
      epoch: epochOf(connection, incoming),
      sink: connection,
      dropped: () => this.#sendUnavailable(connection, incoming),
    };
    this.#settle(connection, incoming, (tx) => {
      const action = actionOf(plan, tx);
      plan.before?.(tx);
      tx.emit(channel, action, origin);
      plan.after?.(tx);
    });
  }

  /** Echoes the action to its sender alone and keeps nothing of it but its number [ACT-7]. */
  #applyPrivately<K extends ChannelKind>(
    connection: Connection,
    incoming: Incoming,
    channel: Channel<K>,
    plan: Plan<K>,
  ): void {
    const origin = originOf(connection, incoming);
    this.#settle(connection, incoming, (tx) => {
      const action = actionOf(plan, tx);
      plan.before?.(tx);
      this.#sync.sendPrivate(connection, { channel: channel.uri, action, origin }, () =>
        this.#sendUnavailable(connection, incoming),
      );
      plan.after?.(tx);
    });
  }

  #refuse(connection: Connection, incoming: Incoming, rejection: Rejection): void {
    // A failed tick takes back the state that the dispatch was checked against.
    this.#settle(connection, incoming, (tx) => {
      this.#sendRejection(connection, incoming, rejection, () => this.#sendUnavailable(connection, incoming));
      rejection.after?.(tx);
    });
  }

  #sendUnavailable(connection: Connection, incoming: Incoming): void {
    this.#sendRejection(connection, incoming, reject('unavailable', this.#sync.path.trouble));
  }

  /** Runs the changes of a dispatch, and notes in the same transaction that it was processed [ACT-5]. */
  #settle(connection: Connection, incoming: Incoming, work: (tx: Tx) => void): void {
    const before = this.#sync.workBytes;
    try {
      this.#sync.transact('client', (tx) => {
        work(tx);
        const { client } = connection.online;
        // Dispatches of a client that may act nowhere are always refused, also when they are sent again.
        if (epochOf(connection, incoming) === undefined || !connection.sight.mayAct) return;
        this.#clients.processed(tx, client, incoming.clientSeq);
      });
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      this.#sendUnavailable(connection, incoming);
    } finally {
      connection.charge(this.#sync.workBytes - before);
    }
  }

  #sendRejection(
    connection: Connection,
    incoming: Incoming,
    { code, reason, refusal }: Rejection,
    dropped?: () => void,
  ): void {
    const envelope = {
      channel: incoming.channel,
      // The echo carries the action as it came, with long texts shortened [ACT-3].
      action: echoOf(withoutLongTexts(incoming.action)),
      origin: originOf(connection, incoming),
      rejectionReason: `${code}: ${reason}`,
      ...defined({ 'x-refusal': refusal }),
    };
    this.#sync.sendPrivate(connection, envelope, dropped);
  }

  /** Answers a dispatch that was processed before and is sent again after a reconnect. The answer is the same [ACT-5]. */
  async #answerAgain(connection: Connection, incoming: Incoming, epoch: string): Promise<void> {
    const { client } = connection.online;
    const stored = await this.#sync
      .afterCommit(() => this.#sync.journal.findOutcome(client.id, epoch, incoming.clientSeq))
      .catch((error: unknown) => {
        // The client must not take the dispatch for undone because its outcome cannot be read now.
        this.#log.error({ error, channel: incoming.channel }, 'an outcome could not be read');
        return undefined;
      });
    if (stored === undefined) {
      const reason = 'The action was applied or refused before; the host no longer knows which';
      const expired = reject('outcomeExpired', reason);
      const again = (): void => this.#sendRejection(connection, incoming, expired);
      this.#sendRejection(connection, incoming, expired, again);
      return;
    }
    // Journaled by this host after its checks.
    const envelope: ActionEnvelope = JSON.parse(stored.json);
    // The outcome stays true if the present tick cannot be committed.
    const send = (): void => connection.envelope(new EncodedEnvelope(envelope), undefined);
    this.#sync.path.send(send, send);
  }
}

const actionOf = <K extends ChannelKind>({ action }: Plan<K>, tx: Tx): ChannelAction[K] =>
  typeof action === 'function' ? action(tx) : action;

const UNREADABLE = reject('unavailable', 'The host cannot read its journal now; try again');

/** The epoch in which the number of a dispatch is unique; `undefined`: the dispatch cannot be told from another one [ACT-5]. */
const epochOf = (connection: Connection, { clientSeq }: Incoming): string | undefined =>
  connection.ways?.isUnique(clientSeq) === false ? undefined : connection.online.client.epoch;

const originOf = (connection: Connection, incoming: Incoming): ActionOrigin => ({
  clientId: connection.online.client.id,
  clientSeq: incoming.clientSeq,
});

function isOnChannel<K extends ChannelKind>(
  channel: Channel<K>,
  action: StateAction,
): action is ChannelAction[K] & StateAction {
  return ACTION_CHANNEL[action.type] === channel.kind;
}

function unfit(checked: CheckedAction, channel: Channel): Rejection {
  if (!checked.ok) return reject('invalidAction', checked.error);
  return reject('wrongChannel', `${checked.action.type} does not belong on a ${channel.kind} channel`);
}

function echoOf(action: unknown): StateAction {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- back to its sender
  return (action ?? {}) as StateAction;
}
