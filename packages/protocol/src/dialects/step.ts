import type { VersionLine } from '../wire/versions.ts';
import { type Converters, isObject, type Json, type Look, Reshaper } from './reshape.ts';
import {
  ACTION_FIELDS,
  NOTIFICATION_FIELDS,
  PARAMS,
  RESULT_FIELDS,
  RESULTS,
  type ShapeName,
  STATES,
} from './shapes.ts';

/** Converts an action: into none, one or several. A single object is one action. */
export type ConvertAction = (action: Json, look: Look) => Json | readonly Json[];

/** Converts params or a result. `method` is the key in its table. */
export type ConvertMessage = (value: Json, look: Look) => Json;

/** One direction of a reshaping. Absent: nothing changes. */
export interface Direction {
  /** Converts values wherever they are nested. */
  readonly shapes?: Converters;
  /** Converts whole actions, by type, before the shapes inside them. */
  readonly actions?: Readonly<Record<string, ConvertAction>>;
  /** Converts params of requests from clients, by method, before the shapes inside them. */
  readonly params?: Readonly<Record<string, ConvertMessage>>;
  /** Converts results of requests from clients, by method, before the shapes inside them. */
  readonly results?: Readonly<Record<string, ConvertMessage>>;
  /** Converts params of the host's notifications, by method, before the shapes inside them. `undefined`: not sent. */
  readonly notifications?: Readonly<Record<string, (params: Json, look: Look) => Json | undefined>>;
}

/** One change between two neighbouring versions. `down` leads to the older one. */
export interface Reshaping {
  readonly down?: Direction;
  readonly up?: Direction;
  /**
   * Converts actions of version 1.0 by type, on their way down and before all steps. For actions that take values from the state, which
   * all steps then convert.
   */
  readonly first?: Readonly<Record<string, ConvertAction>>;
  /**
   * For actions that become several: how many envelopes one may become at most, from the state before it. The host reserves their numbers
   * [DIA-1].
   */
  readonly envelopes?: Readonly<Record<string, (action: Json, before: unknown) => number>>;
}

/** Everything that changed between a version and the one before it. */
export interface Step {
  /** The older version. */
  readonly to: VersionLine;
  readonly reshapings: readonly Reshaping[];
  /** What the older version does not know [DIA-4]. */
  readonly newer: {
    readonly actions?: readonly string[];
    /** Clients of the older version may dispatch these all the same. Those of versions before it may not. */
    readonly actionsTaken?: boolean;
    readonly commands?: readonly string[];
    readonly notifications?: readonly string[];
    readonly channels?: readonly string[];
  };
}

/** Applies one direction of one reshaping. */
export class Turned {
  readonly #direction: Direction;
  readonly #reshaper: Reshaper;

  constructor(direction: Direction) {
    this.#direction = direction;
    this.#reshaper = new Reshaper(direction.shapes ?? {});
  }

  /** Whether actions of this type can change. */
  touches(type: string): boolean {
    if (Object.hasOwn(this.#direction.actions ?? {}, type)) return true;
    return Object.values(fieldsOf(ACTION_FIELDS, type)).some((name) => this.#reshaper.touches(name));
  }

  /** Actions whose only shape is not known to the version are left out. */
  action(action: Json, look: Look): readonly Json[] {
    const converted = own(this.#direction.actions, action.type)?.(action, look) ?? action;
    return (isList(converted) ? converted : [converted]).flatMap((one) => {
      const fields = fieldsOf(ACTION_FIELDS, one.type);
      const next = this.#reshaper.fields(fields, one, look);
      const isLost = Object.keys(fields).some(
        (field) => one[field] !== undefined && next[field] === undefined,
      );
      return isLost ? [] : [next];
    });
  }

  state(kind: string, state: unknown, look: Look): unknown {
    const name = own(STATES, kind);
    return name === undefined ? state : this.#reshaper.value(name, state, look);
  }

  value(shape: ShapeName, value: unknown, look: Look): unknown {
    return this.#reshaper.value(shape, value, look);
  }

  params(method: string, params: Json, look: Look): Json {
    const converted = own(this.#direction.params, method)?.(params, look) ?? params;
    return this.#whole(own(PARAMS, method), converted, look);
  }

  result(method: string, result: Json, look: Look): Json {
    const converted = own(this.#direction.results, method)?.(result, look) ?? result;
    const whole = this.#whole(own(RESULTS, method), converted, look);
    return this.#reshaper.fields(fieldsOf(RESULT_FIELDS, method), whole, look);
  }

  notification(method: string, params: Json, look: Look): Json | undefined {
    const convert = own(this.#direction.notifications, method);
    const converted = convert === undefined ? params : convert(params, look);
    return converted && this.#reshaper.fields(fieldsOf(NOTIFICATION_FIELDS, method), converted, look);
  }

  #whole(name: ShapeName | undefined, value: Json, look: Look): Json {
    const next = name === undefined ? value : this.#reshaper.value(name, value, look);
    return isObject(next) ? next : value;
  }
}

const isList = (value: Json | readonly Json[]): value is readonly Json[] => Array.isArray(value);

/** A member of a table by a name from the wire, which may be any. */
export const own = <T>(table: Readonly<Record<string, T>> | undefined, key: unknown): T | undefined =>
  typeof key === 'string' && table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

type Fields = Readonly<Record<string, ShapeName>>;
const NONE: Fields = {};
const fieldsOf = (table: Readonly<Record<string, Fields>>, key: unknown): Fields => own(table, key) ?? NONE;
