import type { Step } from './step.ts';

/** The step, unless the number that it was asked for with is too large: then one that fails and says so. */
export function within(limit: Limit, number: number | undefined, step: Step): Step {
  if (number === undefined || number <= limit.most) return step;
  return {
    kind: 'fail',
    reason: `\`${limit.of}\`: expected at most ${limit.most} ${limit.unit}, got ${number}`,
  };
}

/** The most that a number of the demo agent's language may be. */
export interface Limit {
  /** The word that it stands behind. */
  readonly of: string;
  readonly most: number;
  readonly unit: string;
}

/** A number at the beginning, `fallback` when there is nothing; undefined when something else stands there. */
export function count(rest: string, fallback: number): number | undefined {
  if (rest.trim() === '') return fallback;
  const digits = /^(\d{1,9})\b/.exec(rest)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The number behind this word, wherever it stands. */
export function named(rest: string, name: 'every' | 'of'): number | undefined {
  const digits = new RegExp(`\\b${name}\\s+(\\d{1,9})`, 'i').exec(rest)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A word counts as a file when it has a dot or a slash in it, so that "write a poem" stays talk. */
export function fileAndText(rest: string): { path: string; text: string } | undefined {
  const [, path, text] = /^(\S+)\s*([^]*)$/.exec(rest) ?? [];
  return path !== undefined && /[./]/.test(path) ? { path, text: text ?? '' } : undefined;
}

/** A file to change and the text for it. */
export function change(kind: 'write' | 'edit', rest: string): Step | undefined {
  const found = fileAndText(rest);
  return found && { kind, ...found };
}

/** The step, when nothing follows the word. */
export function alone(rest: string, step: Step): Step | undefined {
  return rest.trim() === '' ? step : undefined;
}

/** How to ask. */
export function ask(rest: string): Step | undefined {
  switch (rest.trim().toLowerCase()) {
    case '':
      return { kind: 'ask', form: 'plain' };
    case 'options':
      return { kind: 'ask', form: 'options' };
    case 'always':
      return { kind: 'ask', form: 'always' };
    case 'edit':
      return { kind: 'ask', form: 'edit' };
    case 'twice':
      return { kind: 'ask', form: 'twice' };
    case 'result':
      return { kind: 'ask', form: 'result' };
    default:
      return undefined;
  }
}
