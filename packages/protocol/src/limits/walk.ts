import type { SizeRefusal } from '../wire/refusal.ts';
import {
  type CountLimit,
  KEY_LENGTH,
  LIST_LIMITS,
  type ListLimit,
  TEXT_LIMITS,
  type TextLimit,
  TOTAL_LIMITS,
  UNLISTED_LIST,
  UNLISTED_TEXT,
} from './table.ts';

/** Fields whose values contain arbitrary names; all texts inside use the limit of the field. */
export const OPEN_FIELDS: ReadonlySet<string> = new Set([
  '_meta',
  'config',
  'values',
  'metadata',
  'structuredContent',
  'default',
  'enum',
  'x-env',
  'x-input',
]);

const textLimits: ReadonlyMap<string, TextLimit> = new Map(
  Object.values<TextLimit>(TEXT_LIMITS).flatMap((limit) => limit.fields.map((field) => [field, limit])),
);
const lists: ReadonlyMap<string, ListLimit> = new Map(Object.entries(LIST_LIMITS));
const totals: ReadonlyMap<string, CountLimit> = new Map(Object.entries(TOTAL_LIMITS));

/** The place of a value: the name of its field and that of the enclosing field. */
export interface Field {
  readonly name: string;
  readonly parent: string;
}

/** The field of a member; inside an open field the open field itself. */
export function fieldInside({ name, parent }: Field, key: string): Field {
  return OPEN_FIELDS.has(name) ? { name, parent } : { name: key, parent: name };
}

/** The limit of a text; `undefined` when the table does not name its field. */
export const listedTextLimit = ({ name, parent }: Field): TextLimit | undefined =>
  textLimits.get(`${parent}.${name}`) ?? textLimits.get(name);

/** The limit of a text in any field. */
export const textLimit = (field: Field): TextLimit =>
  listedTextLimit(field) ?? { ...UNLISTED_TEXT, fields: [] };

/** The limit for the members of a list or map. */
export const listLimit = ({ name }: Field): ListLimit => lists.get(name) ?? UNLISTED_LIST;

/** The total limit of a field. Absent: only the totals of enclosing fields apply. */
export const totalLimit = ({ name }: Field): CountLimit | undefined => totals.get(name);

/** The weight of a number, boolean or null, and of each text, list and map beside its contents. */
export const VALUE_WEIGHT = 8;

/** An exceeded limit. */
export interface LimitFault {
  /** Path such as `action.title` or `params.config.model`. */
  readonly path: string;
  readonly limit: CountLimit;
  /** The unit of the limit. */
  readonly unit: SizeRefusal['unit'];
  readonly actual: number;
}

/** Walks a value and stops at the first exceeded limit. */
export class LimitWalk {
  fault: LimitFault | undefined;

  /** The weight of a value, as `weightOf` counts it, up to the first exceeded limit. */
  weigh(value: unknown, field: Field, path: string): number {
    if (typeof value === 'string') return this.#weighText(value, field, path);
    if (typeof value !== 'object' || value === null) return VALUE_WEIGHT;
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
    this.#check(path, listLimit(field), 'members', members.length);
    const weight = Array.isArray(value)
      ? this.#weighList(value, field, path)
      : this.#weighMap(value, field, path);
    const total = totalLimit(field);
    if (total !== undefined) this.#check(path, total, 'charactersAltogether', weight);
    return weight;
  }

  #weighText(text: string, field: Field, path: string): number {
    this.#check(path, textLimit(field), 'characters', text.length);
    return text.length + VALUE_WEIGHT;
  }

  #weighList(list: readonly unknown[], field: Field, path: string): number {
    let weight = VALUE_WEIGHT;
    for (let index = 0; index < list.length && this.fault === undefined; index += 1) {
      weight += this.weigh(list[index], field, `${path}[${index}]`);
    }
    return weight;
  }

  #weighMap(map: object, field: Field, path: string): number {
    let weight = VALUE_WEIGHT;
    for (const [key, member] of Object.entries(map)) {
      if (this.fault !== undefined) break;
      this.#check(path, KEY_LENGTH, 'characters', key.length);
      weight += key.length + this.weigh(member, fieldInside(field, key), `${path}.${key}`);
    }
    return weight;
  }

  #check(path: string, limit: CountLimit, unit: LimitFault['unit'], actual: number): void {
    if (actual > limit.max) this.fault ??= { path, limit, unit, actual };
  }
}
