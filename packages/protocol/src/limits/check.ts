import type { StateAction } from '../wire/envelope.ts';
import { lengthApart, paramsApart } from './apart.ts';
import { type CountLimit, CUT_REQUESTS, MESSAGE_TOTAL } from './table.ts';
import { type LimitFault, LimitWalk, VALUE_WEIGHT } from './walk.ts';

/** Longest path in an error, in characters; keys in it come from the wire. */
const PATH_LENGTH = 120;

/**
 * Finds the first part of an action beyond its limit, such as `action.title: at most 512 characters, got
 * 12,582,912`. `undefined` when all limits hold.
 */
export function findActionFault(action: StateAction): string | undefined {
  const fault = findFault(action, { name: action.type, root: 'action', apart: lengthApart(action) });
  return fault && `${fault.path}: ${fault.problem}`;
}

/** Finds the first part of a request's params beyond its limit: its path, and the problem in English; see {@link findActionFault}. */
export function findParamsFault(
  method: string,
  params: unknown,
): { readonly path: string; readonly problem: string } | undefined {
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

/** Text of an exceeded limit of a channel's whole content. */
export const excessOf = ({ what, max }: CountLimit, actual: number): string =>
  `${what}: ${excess(max, 'characters altogether', actual)}`;

function findFault(
  value: unknown,
  { name, root, apart }: { name: string; root: string; apart: number },
): { readonly path: string; readonly problem: string } | undefined {
  const walk = new LimitWalk();
  const weight = walk.weigh(value, { name, parent: '' }, root) - apart;
  const fault: LimitFault | undefined =
    walk.fault ??
    (weight > MESSAGE_TOTAL.max
      ? { path: root, limit: MESSAGE_TOTAL, unit: 'characters altogether', actual: weight }
      : undefined);
  return fault && described(fault);
}

function described({ path, limit, unit, actual }: LimitFault): { path: string; problem: string } {
  return {
    path: path.length > PATH_LENGTH ? `${path.slice(0, PATH_LENGTH)}…` : path,
    problem: excess(limit.max, unit, actual),
  };
}

const shown = (count: number): string => count.toLocaleString('en-US');
