import { type ActionEnvelope, lineOf, type Snapshot, type StateAction } from '@agenthost/protocol';
import { choiceOf, type Dialect, dialectOf, type Look, StateNeeded } from '@agenthost/protocol/dialects';
import { EncodedEnvelope, type EncodedNotification } from '../../sync/subscription.ts';
import type { ClientWays } from '../ways.ts';

/** What a conversion may ask of the host. */
interface Finds extends Pick<Look, 'chatOfClaim' | 'choices' | 'createdAt'> {
  /** The host's time, in ms since the epoch. */
  now(): number;
}

/**
 * Converts everything that a connection sends and gets between its protocol version and version 1.0 [CONN-9] [DIA-2]. Nothing else does; all
 * other code of the host knows version 1.0 alone.
 */
export class Translator {
  readonly dialect: Dialect;
  readonly #clientId: string;
  readonly #ways: ClientWays | undefined;
  readonly #finds: Finds;

  /** `version`: as negotiated. `ways`: those of the client's program. */
  constructor(version: string, clientId: string, ways: ClientWays | undefined, finds: Finds) {
    this.dialect = dialectOf(lineOf(version) ?? '1.0.0');
    this.#clientId = clientId;
    this.#ways = ways;
    this.#finds = finds;
  }

  /** True if everything passes unchanged. */
  get isIdentity(): boolean {
    return this.dialect.isIdentity && this.#ways === undefined;
  }

  /** Whether the version has an action that delivers turns [CHAT-15]. */
  get takesTurns(): boolean {
    return this.dialect.takesTurns;
  }

  /** The envelopes to send in place of one. The last has its number, the others private ones below it [DIA-1]. */
  envelopes(encoded: EncodedEnvelope): readonly EncodedEnvelope[] {
    const ways = this.#ways;
    const translated = this.#inVersion(encoded);
    if (ways === undefined) return translated;
    return translated.map((one) => {
      const value = ways.out(one.value);
      return value === one.value ? one : new EncodedEnvelope(value);
    });
  }

  #inVersion(encoded: EncodedEnvelope): readonly EncodedEnvelope[] {
    const { value } = encoded;
    const { dialect } = this;
    // A rejection echoes the action as the client sent it.
    if (dialect.isIdentity || value.rejectionReason !== undefined || !dialect.changes(value.action.type))
      return [encoded];
    if (dialect.isPersonal || value.origin?.clientId === this.#clientId) return this.#translate(encoded);
    return encoded.inDialect(dialect, () => this.#translate(encoded));
  }

  /** A journaled envelope in a replay; `undefined`: the client needs snapshots [DIA-1]. */
  replayed(envelope: ActionEnvelope): readonly ActionEnvelope[] | undefined {
    try {
      const converted = this.#convert(new EncodedEnvelope(envelope));
      if (converted.length > 1) return undefined;
      return converted.map((one) => this.#ways?.out(one) ?? one);
    } catch (error) {
      if (error instanceof StateNeeded) return undefined;
      throw error;
    }
  }

  #translate(encoded: EncodedEnvelope): readonly EncodedEnvelope[] {
    const { value } = encoded;
    try {
      const converted = this.#convert(encoded);
      if (converted.length === 1 && converted[0] === value) return [encoded];
      return converted.map((envelope) => new EncodedEnvelope(envelope));
    } catch (error) {
      // Only answers to resent actions have no states. Their effect is known to the client.
      if (error instanceof StateNeeded) return [encoded];
      throw error;
    }
  }

  #convert({ value, states }: EncodedEnvelope): readonly ActionEnvelope[] {
    const isEcho = value.origin?.clientId === this.#clientId;
    const actions = this.dialect.actionDown(value.action, this.#look(value.channel, states), isEcho);
    if (actions.length === 1 && actions[0] === value.action) return [value];
    const last = actions.length - 1;
    return actions.map((action, index) => {
      const converted = asAction(action);
      if (index === last) return { ...value, action: converted };
      const { origin: _, ...others } = value;
      return { ...others, action: converted, serverSeq: value.serverSeq - (last - index) };
    });
  }

  snapshot(snapshot: Snapshot, kind: string): Snapshot {
    const state = this.dialect.stateDown(kind, snapshot.state, this.#look(snapshot.resource));
    const converted = state === snapshot.state ? snapshot : { ...snapshot, state: asState(state) };
    return this.#ways?.out(converted) ?? converted;
  }

  /** The params of a request as version 1.0 has them. They are not checked yet. */
  params(method: string, params: unknown): unknown {
    return this.dialect.paramsUp(method, params, this.#look(''));
  }

  /** The action of a dispatch as version 1.0 has it. It is not checked yet. */
  action(action: unknown, channel: string, state: object | undefined): unknown {
    if (this.dialect.isIdentity) return action;
    return this.dialect.actionUp(action, {
      ...this.#look(channel, state && { before: state, after: state }),
      now: this.#finds.now(),
    });
  }

  /** The model or agent that a dispatch chooses for its session; `undefined`: it is another action, or of a version without such choices. */
  choice(action: unknown): ReturnType<typeof choiceOf> {
    return this.dialect.hasChoices ? choiceOf(action) : undefined;
  }

  result(method: string, result: unknown): unknown {
    const converted = this.dialect.resultDown(method, result, this.#look(''));
    return this.#ways === undefined ? converted : this.#ways.resultOut(method, converted);
  }

  /** URIs of channels as the client names them. */
  uris(uris: readonly string[]): readonly string[] {
    return this.#ways?.out({ missing: uris }).missing ?? uris;
  }

  /** The whole text of a notification; `undefined`: not to be sent. */
  notification(notification: EncodedNotification): string | undefined {
    if (this.isIdentity) return notification.text;
    const { method } = notification;
    const params = this.dialect.notificationDown(method, { ...notification.params }, this.#look(''));
    return params && JSON.stringify({ jsonrpc: '2.0', method, params: this.#ways?.out(params) ?? params });
  }

  #look(channel: string, states?: { before: unknown; after: unknown }): Look {
    const { now: _, ...finds } = this.#finds;
    return { ...finds, ...states, channel, clientId: this.#clientId };
  }
}

function asAction(action: object): StateAction {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- an action of another version, on its way to a client
  return action as StateAction;
}

function asState(state: unknown): Snapshot['state'] {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- a state of another version, on its way to a client
  return state as Snapshot['state'];
}
