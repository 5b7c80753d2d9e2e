import { isClientAction } from '../wire/channels.ts';
import type { StateAction } from '../wire/envelope.ts';
import { PROTOCOL_VERSION, type VersionLine } from '../wire/versions.ts';
import { isObject, type Json, type Look } from './reshape.ts';
import type { ShapeName } from './shapes.ts';
import { type ConvertAction, own, type Reshaping, type Step, Turned } from './step.ts';
import { STEPS } from './steps.ts';

/**
 * What a peer of one version sends and is sent. All of it passes through here; all other code knows only version 1.0 [CONN-9]. Values of the
 * present version pass unchanged and uncopied.
 */
export interface Dialect {
  readonly line: VersionLine;
  /** True if everything passes unchanged, so that connections can share its encoding. */
  readonly isIdentity: boolean;
  /** Whether the peer chooses models and agents for sessions and chats, not in messages. */
  readonly hasChoices: boolean;
  /** Whether the peer understands `chat/turnsLoaded` [CHAT-15]. */
  readonly takesTurns: boolean;
  /** Whether conversion depends on the client, so that its result cannot be shared with other clients. */
  readonly isPersonal: boolean;
  /** Whether actions of this type can change on their way to the peer. */
  changes(type: string): boolean;
  /**
   * Returns an action as the peer knows it: none, one or several. `isEcho`: the peer has dispatched an action of this type. Throws
   * `StateNeeded`.
   */
  actionDown(action: object, look: Look, isEcho?: boolean): readonly object[];
  /** Returns an action of the peer as version 1.0 has it. Values that are no such action pass unchanged, to be refused by the checks. */
  actionUp(action: unknown, look: Look): unknown;
  stateDown(kind: string, state: unknown, look: Look): unknown;
  stateUp(kind: string, state: unknown, look: Look): unknown;
  /** Returns any value of a shape as version 1.0 has it: a stored turn, an entry of the catalogue. */
  valueUp(shape: ShapeName, value: unknown, look: Look): unknown;
  paramsUp(method: string, params: unknown, look: Look): unknown;
  resultDown(method: string, result: unknown, look: Look): unknown;
  /** Returns the params of a notification as the peer knows it; `undefined`: not to be sent. */
  notificationDown(method: string, params: Json, look: Look): Json | undefined;
  /** Whether the version has this command. */
  hasCommand(method: string): boolean;
  /** Whether the version has channels of this kind. */
  hasChannel(kind: string): boolean;
}

const CURRENT: Dialect = {
  line: PROTOCOL_VERSION,
  isIdentity: true,
  hasChoices: false,
  takesTurns: true,
  isPersonal: false,
  changes: () => false,
  actionDown: (action) => [action],
  actionUp: (action) => action,
  stateDown: (_, state) => state,
  stateUp: (_, state) => state,
  valueUp: (_, value) => value,
  paramsUp: (_, params) => params,
  resultDown: (_, result) => result,
  notificationDown: (_, params) => params,
  hasCommand: () => true,
  hasChannel: () => true,
};

/** The steps between version 1.0 and an older one, in downward order. */
class Chain implements Dialect {
  readonly line: VersionLine;
  readonly isIdentity = false;
  readonly hasChoices: boolean;
  readonly takesTurns: boolean;
  readonly isPersonal: boolean;
  readonly #steps: readonly {
    readonly down: readonly Turned[];
    readonly newer: ReadonlySet<string>;
    readonly taken: boolean;
  }[];
  readonly #first: readonly Readonly<Record<string, ConvertAction>>[];
  readonly #up: readonly Turned[];
  readonly #commands: ReadonlySet<string>;
  readonly #notifications: ReadonlySet<string>;
  readonly #channels: ReadonlySet<string>;
  readonly #changes = new Map<string, boolean>();

  constructor(line: VersionLine, steps: readonly Step[]) {
    this.line = line;
    this.#steps = steps.map(({ to, reshapings, newer }) => ({
      down: turned(reshapings, 'down'),
      newer: new Set(newer.actions ?? []),
      taken: newer.actionsTaken === true && to === line,
    }));
    this.#first = steps.flatMap(({ reshapings }) => reshapings.map(({ first = {} }) => first));
    this.#up = steps.toReversed().flatMap(({ reshapings }) => turned(reshapings.toReversed(), 'up'));
    const all = (kind: 'commands' | 'notifications' | 'channels'): Set<string> =>
      new Set(steps.flatMap(({ newer }) => newer[kind] ?? []));
    this.#commands = all('commands');
    this.#notifications = all('notifications');
    this.#channels = all('channels');
    this.takesTurns = !this.#steps.some(({ newer }) => newer.has('chat/turnsLoaded'));
    this.hasChoices = line === '0.4.0';
    this.isPersonal = line === '0.4.0';
  }

  changes(type: string): boolean {
    let known = this.#changes.get(type);
    if (known === undefined) {
      const isFirst = this.#first.some((table) => Object.hasOwn(table, type));
      known =
        isFirst ||
        this.#steps.some(({ down, newer }) => newer.has(type) || down.some((one) => one.touches(type)));
      this.#changes.set(type, known);
    }
    return known;
  }

  actionDown(action: object, look: Look, isEcho = false): readonly object[] {
    if (!isObject(action)) return [action];
    let actions: readonly Json[] = [action];
    for (const table of this.#first)
      actions = actions.flatMap((given) => own(table, given.type)?.(given, look) ?? given);
    for (const { down, newer } of this.#steps) {
      for (const one of down) actions = actions.flatMap((given) => one.action(given, look));
      if (newer.size > 0 && !isEcho) actions = actions.filter(({ type }) => !newer.has(String(type)));
    }
    return actions;
  }

  actionUp(action: unknown, look: Look): unknown {
    if (!isObject(action)) return action;
    const type = String(action.type);
    const isNewer = isClientAction(type) && this.#steps.some(({ newer, taken }) => !taken && newer.has(type));
    // The checks refuse it as unknown.
    if (isNewer) return { ...action, type: `${type} (newer than ${this.line})` };
    return this.#up.reduce<Json>((given, one) => one.action(given, look)[0] ?? given, action);
  }

  stateDown(kind: string, state: unknown, look: Look): unknown {
    return this.#steps
      .flatMap(({ down }) => down)
      .reduce((given: unknown, one) => one.state(kind, given, look), state);
  }

  stateUp(kind: string, state: unknown, look: Look): unknown {
    return this.#up.reduce((given: unknown, one) => one.state(kind, given, look), state);
  }

  valueUp(shape: ShapeName, value: unknown, look: Look): unknown {
    return this.#up.reduce((given: unknown, one) => one.value(shape, given, look), value);
  }

  paramsUp(method: string, params: unknown, look: Look): unknown {
    if (!isObject(params)) return params;
    return this.#up.reduce<Json>((given, one) => one.params(method, given, look), params);
  }

  resultDown(method: string, result: unknown, look: Look): unknown {
    if (!isObject(result)) return result;
    return this.#steps
      .flatMap(({ down }) => down)
      .reduce<Json>((given, one) => one.result(method, given, look), result);
  }

  notificationDown(method: string, params: Json, look: Look): Json | undefined {
    if (this.#notifications.has(method)) return undefined;
    return this.#steps
      .flatMap(({ down }) => down)
      .reduce<Json | undefined>((given, one) => given && one.notification(method, given, look), params);
  }

  hasCommand(method: string): boolean {
    return !this.#commands.has(method);
  }

  hasChannel(kind: string): boolean {
    return !this.#channels.has(kind);
  }
}

const turned = (reshapings: readonly Reshaping[], way: 'down' | 'up'): Turned[] =>
  reshapings.flatMap((reshaping) => {
    const direction = reshaping[way];
    return direction === undefined ? [] : [new Turned(direction)];
  });

/** The dialect of each version, from the newest to the oldest. */
const DIALECTS: readonly Dialect[] = [
  CURRENT,
  ...STEPS.map(({ to }, index) => new Chain(to, STEPS.slice(0, index + 1))),
];

/** Returns the dialect of a version. */
export function dialectOf(line: VersionLine): Dialect {
  return DIALECTS.find((dialect) => dialect.line === line) ?? CURRENT;
}

const SPLITTING = STEPS.flatMap(({ reshapings }) => reshapings.map(({ envelopes }) => envelopes ?? {}));

/** How many envelopes an action may become for a peer of some version at most [DIA-1]. `channel`: before the action. */
export function mostEnvelopes(action: StateAction, channel: { readonly state: object }): number {
  let most = 1;
  for (const table of SPLITTING) {
    const count = own(table, action.type);
    if (count !== undefined) most = Math.max(most, count({ ...action }, channel.state));
  }
  return most;
}
