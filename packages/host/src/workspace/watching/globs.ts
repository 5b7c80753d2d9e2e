/** Limit of the alternatives that the braces of one pattern stand for. */
const MAX_ALTERNATIVES = 64;

/** A path relative to a root, as its names. The root itself has none. */
export type Names = readonly string[];

/** Tells whether a path matches a pattern. */
export type Glob = (names: Names) => boolean;

/** One element of a sequence that is matched: the star stands for any number of items. */
type Element<T> = '*' | ((item: T) => boolean);

/**
 * Matches a sequence in linear time per star: a pattern of a client must not be able to stop the host, as patterns that are turned into regular
 * expressions can.
 */
function matches<T>(elements: readonly Element<T>[], items: ArrayLike<T>): boolean {
  let at = 0;
  let item = 0;
  let star: { readonly at: number; item: number } | undefined;
  while (item < items.length) {
    const element = elements[at];
    const next = items[item];
    if (element === '*') {
      star = { at, item };
      at += 1;
    } else if (element !== undefined && next !== undefined && element(next)) {
      at += 1;
      item += 1;
    } else if (star !== undefined) {
      star.item += 1;
      at = star.at + 1;
      item = star.item;
    } else return false;
  }
  while (elements[at] === '*') at += 1;
  return at === elements.length;
}

/**
 * Compiles a glob pattern: `*` and `?` within a name, `**` for any number of names, `[a-z]`, `[!a-z]`, `{a,b}`, and `\` before a literal character.
 * Names that begin with a dot match as others do. Throws a `RangeError` whose message says what is wrong with the pattern.
 *
 * @param options.hasBraces false: braces are literal, as in `.gitignore`. Default true.
 */
export function compileGlob(pattern: string, { hasBraces = true }: { hasBraces?: boolean } = {}): Glob {
  const alternatives = (hasBraces ? expandBraces(pattern) : [pattern]).map((each) =>
    splitNames(each).map(compileName),
  );
  return (names) => alternatives.some((elements) => matches(elements, names));
}

/** Whether a pattern is a plain path, without any wildcard. */
export const isPlainPath = (pattern: string): boolean => !/[*?[\]{}\\]/.test(pattern);

/** The names of a pattern. A slash within brackets separates names as well, as no name contains one. */
const splitNames = (pattern: string): string[] =>
  pattern.split('/').filter((name) => name !== '' && name !== '.');

function compileName(name: string): Element<string> {
  if (name === '**') return '*';
  const elements: Element<string>[] = [];
  const characters = [...name];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at];
    if (character === '*') {
      if (elements.at(-1) !== '*') elements.push('*');
    } else if (character === '?') elements.push(() => true);
    else if (character === '[') {
      const set = readSet(characters, at);
      elements.push(set === undefined ? literal('[') : set.holds);
      at = set?.end ?? at;
    } else if (character === '\\' && at + 1 < characters.length) {
      at += 1;
      elements.push(literal(characters[at]));
    } else elements.push(literal(character));
  }
  if (elements.every((element) => element !== '*' && !isWild(element))) {
    const text = characters.join('').replace(/\\(.)/gsu, '$1');
    return (given) => given === text;
  }
  return (given) => matches(elements, [...given]);
}

const literals = new WeakSet<(item: string) => boolean>();

function literal(character: string | undefined): (item: string) => boolean {
  const holds = (item: string): boolean => item === character;
  literals.add(holds);
  return holds;
}

const isWild = (element: (item: string) => boolean): boolean => !literals.has(element);

/** Reads `[…]` at a position. `undefined`: the bracket is not closed, and stands for itself. */
function readSet(
  characters: readonly string[],
  start: number,
): { readonly holds: (item: string) => boolean; readonly end: number } | undefined {
  const isNegated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  // A bracket in the first place is a member.
  const end = characters.indexOf(']', first + 1);
  if (end < 0) return undefined;
  const ranges: (readonly [string, string])[] = [];
  for (let at = first; at < end; at += 1) {
    if (characters[at] === '\\' && at + 1 < end) at += 1;
    const from = characters[at] ?? '';
    const to = characters[at + 2];
    if (characters[at + 1] === '-' && at + 2 < end && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return {
    holds: (item) => ranges.some(([from, to]) => from <= item && item <= to) !== isNegated,
    end,
  };
}

/** Replaces braces by all that they stand for. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const waiting = [pattern];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const group = findGroup(next);
    if (group === undefined) done.push(next);
    else for (const option of group.options) waiting.push(`${group.before}${option}${group.behind}`);
    if (done.length + waiting.length > MAX_ALTERNATIVES)
      throw new RangeError(`its braces stand for more than ${MAX_ALTERNATIVES} patterns`);
  }
  return done;
}

/** The first innermost group of braces. An unclosed brace is literal. */
function findGroup(
  pattern: string,
): { readonly before: string; readonly options: readonly string[]; readonly behind: string } | undefined {
  let start = -1;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '{') start = at;
    else if (character === '}' && start >= 0)
      return {
        before: pattern.slice(0, start),
        options: splitOptions(pattern.slice(start + 1, at)),
        behind: pattern.slice(at + 1),
      };
  }
  return undefined;
}

function splitOptions(text: string): string[] {
  const options = [''];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === ',') {
      options.push('');
      continue;
    }
    // An escape stays, for the name that it is part of.
    const taken = character === '\\' ? text.slice(at, at + 2) : character;
    at += taken.length - 1;
    options.push(`${options.pop() ?? ''}${taken}`);
  }
  return options;
}
