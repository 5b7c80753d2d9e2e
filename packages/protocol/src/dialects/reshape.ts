import type { AgentSelection, ModelSelection } from '../chat/message.ts';
import { SHAPES, type Shape, type ShapeName } from './shapes.ts';

/** A JSON object as another version has it. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. Values from the wire may be anything. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The items of a list from the wire; none if it is no list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The object without some fields; the object itself if it has none of them. */
export function without(value: Json, ...fields: readonly string[]): Json {
  if (!fields.some((field) => Object.hasOwn(value, field))) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
}

/** A converter that removes fields. */
export const dropping =
  (...fields: readonly string[]) =>
  (value: Json): Json =>
    without(value, ...fields);

/** Facts about the place of a value that a conversion may need. */
export interface Look {
  /** State of the channel in version 1.0 before the action. Absent: not at hand. */
  readonly before?: unknown;
  /** State of the channel in version 1.0 after the action. Absent: not at hand. */
  readonly after?: unknown;
  /** URI of the channel. */
  readonly channel?: string;
  /** Id of the client on the other side. */
  readonly clientId?: string;
  /**
   * Finds the chat for a claim of a session that names none: the chat with the open tool call, else the session's default chat [TERM-21].
   * `undefined`: the session is not known.
   */
  readonly chatOfClaim?: (session: string, toolCallId?: string) => string | undefined;
  /** Time of a session's creation, in ISO 8601. `undefined`: the session is not known. */
  readonly createdAt?: (session: string) => string | undefined;
  /** Models and agents for a session or chat, by its URI. `undefined`: the channel is not known. */
  readonly choices?: (uri: string) => Choices | undefined;
  /** Time of the action, in ms since the epoch. Absent: unknown. */
  readonly now?: number;
}

/** A model and an agent. Absent: the agent's default. */
export interface Choice {
  readonly model?: ModelSelection;
  readonly agent?: AgentSelection;
}

/** What clients of 0.4 are shown of models and agents, and what is put into their messages. */
export interface Choices {
  /** As chosen by clients of 0.4 for the session or chat. */
  readonly chosen: Choice;
  /** As named by the last message. */
  readonly last: Choice;
}

/** Thrown by a conversion that needs a state which is not at hand: a replay then becomes snapshots [DIA-1]. */
export class StateNeeded extends Error {
  constructor() {
    super('the state of this moment is needed and not at hand');
    this.name = 'StateNeeded';
  }
}

/** Converts one value of a shape. Returns `undefined` to remove it from its list. */
export type Convert = (value: Json, look: Look) => Json | undefined;

/** The shapes that a reshaping changes. Each is converted before the shapes inside it. */
export type Converters = { readonly [N in ShapeName]?: Convert };

/** Converts values of some shapes wherever they are nested [DIA-2]. Returns a value itself when nothing in it changes. */
export class Reshaper {
  readonly #converters: Converters;
  readonly #reaching: ReadonlySet<ShapeName>;

  constructor(converters: Converters) {
    this.#converters = converters;
    this.#reaching = reachingShapes(converters);
  }

  /** Whether values of a shape can change. */
  touches(name: ShapeName): boolean {
    return this.#reaching.has(name);
  }

  /** `undefined`: the version has no such value. */
  value(name: ShapeName, value: unknown, look: Look): unknown {
    if (!this.#reaching.has(name) || !isObject(value)) return value;
    const converted = this.#converters[name]?.(value, look) ?? (this.#converters[name] ? undefined : value);
    return converted === undefined ? undefined : this.#inside(SHAPES[name], converted, look);
  }

  /** Converts the named fields of an object. */
  fields<T extends Json>(fields: Readonly<Record<string, ShapeName>>, value: T, look: Look): T {
    let next = value;
    for (const field of Object.keys(fields)) {
      const name = fields[field];
      if (name === undefined || !this.#reaching.has(name) || !Object.hasOwn(next, field)) continue;
      const held = this.#held(name, next[field], look);
      if (held !== next[field]) next = { ...next, [field]: held };
    }
    return next;
  }

  #inside({ holds, union }: Shape, value: Json, look: Look): unknown {
    if (union === undefined) return holds === undefined ? value : this.fields(holds, value, look);
    const kind = value[union.by];
    const member = typeof kind === 'string' && Object.hasOwn(union.of, kind) ? union.of[kind] : undefined;
    return member === undefined ? value : this.value(member, value, look);
  }

  #held(name: ShapeName, value: unknown, look: Look): unknown {
    if (!Array.isArray(value)) return this.value(name, value, look);
    let items: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const before: unknown = value[index];
      const after = this.value(name, before, look);
      if (items === undefined && after === before) continue;
      items ??= value.slice(0, index);
      if (after !== undefined) items.push(after);
    }
    return items ?? value;
  }
}

/** The shapes with a converter, and those that hold one of them. */
function reachingShapes(converters: Converters): ReadonlySet<ShapeName> {
  const reaching = new Set<string>(Object.keys(converters));
  const names = Object.keys(SHAPES).filter(isShapeName);
  for (let before = -1; before !== reaching.size; ) {
    before = reaching.size;
    for (const name of names) {
      const { holds = {}, union } = SHAPES[name];
      const inner = [...Object.values(holds), ...Object.values(union?.of ?? {})];
      if (inner.some((held) => reaching.has(held))) reaching.add(name);
    }
  }
  return new Set([...reaching].filter(isShapeName));
}

const isShapeName = (name: string): name is ShapeName => Object.hasOwn(SHAPES, name);
