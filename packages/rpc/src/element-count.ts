const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * Whether a JSON text has at most `most` elements: members of objects, entries of lists, and the objects and
 * lists themselves. Counts the structure characters outside of strings. Parsing millions of elements would
 * take a hundred times longer and use memory.
 */
export function hasAtMostElements(json: string, most: number): boolean {
  // An element takes at least one character.
  if (json.length <= most) return true;
  let count = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (isInString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) {
      count += 1;
      if (count > most) return false;
    }
  }
  return true;
}
