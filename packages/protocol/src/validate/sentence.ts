import type { Fault } from './fault.ts';

/** Longest piece of the checked value (a key, a tag) that an error repeats, in UTF-16 code units. */
const CLIP_LENGTH = 40;

const NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** Quotes a piece of the checked value, cut to a length that can neither flood a log nor leak much. */
export function quote(text: string): string {
  return JSON.stringify(text.length > CLIP_LENGTH ? `${text.slice(0, CLIP_LENGTH - 1)}…` : text);
}

function step(segment: string): string {
  const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
  if (/^\d{1,9}$/.test(key)) return `[${key}]`;
  return key.length <= CLIP_LENGTH && /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${quote(key)}]`;
}

function pathTo(fault: Fault, root: string, property?: unknown): string {
  const steps = fault.instancePath.split('/').slice(1).map(step);
  return root + steps.join('') + (typeof property === 'string' ? step(property) : '');
}

function listed(names: string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function all(values: unknown): unknown[] {
  return Array.isArray(values) ? values : [values];
}

/** A problem of a value, with its path. */
export interface Problem {
  /** Path from the root, such as `params.message.text`. */
  readonly path: string;
  readonly problem: string;
}

function tagProblem(fault: Fault, root: string): Problem {
  const { tag, tagValue } = fault.params;
  const path = pathTo(fault, root, tag);
  if (tagValue === undefined) return { path, problem: 'is required' };
  return {
    path,
    problem: typeof tagValue === 'string' ? `${quote(tagValue)} is not known here` : 'must be a string',
  };
}

function depth(fault: Fault): number {
  return fault.instancePath.split('/').length;
}

/** The fault that tells most: of failed alternatives the one that got furthest into the value. */
function mostTelling(faults: Fault[]): Fault | undefined {
  const last = faults.at(-1);
  const inner = faults.filter(({ keyword }) => keyword !== 'if' && keyword !== 'anyOf');
  const deepest = inner.reduce<Fault | undefined>(
    (best, fault) => (best === undefined || depth(fault) > depth(best) ? fault : best),
    undefined,
  );
  if (last?.keyword !== 'anyOf') return deepest;
  return deepest && depth(deepest) > depth(last) ? deepest : last;
}

/**
 * What a check found, such as `must be a string` at `params.message.text`.
 * @param root name of the checked value, `params` for instance
 */
export function problemOf(faults: Fault[], root: string): Problem {
  const fault = mostTelling(faults);
  if (fault === undefined) return { path: root, problem: 'does not fit the schema' };
  const { keyword, params } = fault;
  if (keyword === 'required')
    return { path: pathTo(fault, root, params.missingProperty), problem: 'is required' };
  if (keyword === 'discriminator') return tagProblem(fault, root);
  return { path: pathTo(fault, root), problem: problemText(fault) };
}

function problemText({ keyword, params }: Fault): string {
  switch (keyword) {
    case 'type':
      return `must be ${listed(all(params.type).map((type) => NAMES[String(type)] ?? String(type)))}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'enum':
      return `must be ${listed(all(params.allowedValues).map((value) => JSON.stringify(value)))}`;
    case 'minimum':
      return `must be at least ${String(params.limit)}`;
    case 'maximum':
      return `must be at most ${String(params.limit)}`;
    case 'minItems':
      return `must have at least ${String(params.limit)} items`;
    default:
      return 'has none of the forms that are allowed here';
  }
}
