import type { StateAction } from '../wire/envelope.ts';
import type { SizeRefusal } from '../wire/refusal.ts';
import { lengthApart, paramsApart } from './apart.ts';
import { type CountLimit, CUT_REQUESTS, MESSAGE_TOTAL } from './table.ts';
import { type LimitFault, LimitWalk, VALUE_WEIGHT } from './walk.ts';

/** Longest path in an error, in characters; keys in it come from the wire. */
const PATH_LENGTH = 120;

/** Finds the first part of an action beyond its limit, such as `action.title`. `undefined` when all limits hold. */
export const findActionFault = (action: StateAction): SizeRefusal | undefined =>
  findFault(action, { name: action.type, root: 'action', apart: lengthApart(action) });

/** Finds the first part of a request's params beyond its limit; see {@link findActionFault}. */
export function findParamsFault(method: string, params: unknown): SizeRefusal | undefined {
  if (CUT_REQUESTS.has(method)) return undefined;
  return findFault(params, { name: method, root: 'params', apart: paramsApart(method, params) });
}

/** The weight of a value in a total, about its length as JSON: its characters and those of its keys, and eight for each value. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_WEIGHT + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_WEIGHT;
  let weight = VALUE_WEIGHT;
  if (Array.isArray(value)) for (const member of value) weight += weightOf(member);
  else for (const [key, member] of Object.entries(value)) weight += key.length + weightOf(member);
  return weight;
}

/** Text of an exceeded limit: `at most 100 messages …, got 101`. */
export const excess = (max: number, unit: string, actual: number): string =>
  `at most ${shown(max)} ${unit}, got ${shown(actual)}`;

/** Text of a size refusal without its field, such as `at most 512 characters, got 12,582,912`. */
export const sizeProblem = ({ max, unit, actual }: SizeRefusal): string =>
  excess(max, unit === 'charactersAltogether' ? 'characters altogether' : unit, actual);

/** Text of a size refusal, such as `action.title: at most 512 characters, got 12,582,912`. */
export const sizeText = (refusal: SizeRefusal): string => `${refusal.field}: ${sizeProblem(refusal)}`;

/** Text of an exceeded limit of a channel's whole content. */
export const excessOf = ({ what, max }: CountLimit, actual: number): string =>
  `${what}: ${excess(max, 'characters altogether', actual)}`;

function findFault(
  value: unknown,
  { name, root, apart }: { name: string; root: string; apart: number },
): SizeRefusal | undefined {
  const walk = new LimitWalk();
  const weight = walk.weigh(value, { name, parent: '' }, root) - apart;
  const fault: LimitFault | undefined =
    walk.fault ??
    (weight > MESSAGE_TOTAL.max
      ? { path: root, limit: MESSAGE_TOTAL, unit: 'charactersAltogether', actual: weight }
      : undefined);
  return fault && refusalOf(fault);
}

const refusalOf = ({ path, limit, unit, actual }: LimitFault): SizeRefusal => ({
  kind: 'size',
  field: path.length > PATH_LENGTH ? `${path.slice(0, PATH_LENGTH)}…` : path,
  unit,
  max: limit.max,
  actual,
});

const shown = (count: number): string => count.toLocaleString('en-US');
