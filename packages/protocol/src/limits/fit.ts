import { type Field, fieldInside, listLimit, textLimit } from './walk.ts';

/** Texts up to so long end in an ellipsis where they were cut; longer ones in a line that says so. */
const ONE_LINE = 4_096;

/** A text cut to `max` characters, its end saying so. Never leaves half of a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const note =
    max <= ONE_LINE
      ? '…'
      : `\n[… cut here: it had ${text.length.toLocaleString('en-US')} characters, at most ${max.toLocaleString('en-US')} are kept]`;
  const head = text.slice(0, Math.max(0, max - note.length));
  return `${/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head}${note}`;
}

/**
 * A value whose texts are cut to their limits, and lists to theirs where the table names them. What is short enough stays the same
 * object. Ids and keys are never cut, since they would name something else.
 * @param name the field that the value stands in; of an action its type
 */
export function fitTexts<T>(value: T, name: string): T;
export function fitTexts(value: unknown, name: string): unknown {
  return fit(value, { name, parent: '' });
}

function fit(value: unknown, field: Field): unknown {
  if (typeof value === 'string') {
    const { max, isName } = textLimit(field);
    return value.length <= max || isName === true ? value : cutText(value, max);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return fitList(value, field);
  let changed: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const fitted = fit(member, fieldInside(field, key));
    if (fitted === member) continue;
    changed ??= {};
    // An own property, whatever its name.
    Object.defineProperty(changed, key, {
      value: fitted,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return changed === undefined ? value : { ...value, ...changed };
}

function fitList(list: readonly unknown[], field: Field): unknown {
  const { max, isCut } = listLimit(field);
  const kept = isCut === true && list.length > max ? list.slice(0, max) : list;
  const fitted = kept.map((member) => fit(member, field));
  return kept === list && fitted.every((member, index) => member === list[index]) ? list : fitted;
}
