import { type Field, fieldInside, listLimit, textLimit } from './walk.ts';

/** Texts with a limit up to this get an ellipsis when they are cut. Longer ones get a line that says so. */
const ONE_LINE = 4_096;

/** Cuts a text to `max` characters with a mark at its end. Never cuts a surrogate pair. */
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
 * Cuts the texts of a value to their limits, and lists where the table says so. Parts that fit stay the same objects. Ids and keys are never cut, because
 * they would name something else.
 * @param name The field that contains the value; for an action its type.
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
    // Defines an own property for any name.
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
