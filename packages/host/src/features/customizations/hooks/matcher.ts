/**
 * Whether a text is a matcher: names with `|` between them, in which `.*` or `*` stands for any text. Other regular expressions are refused:
 * they come from projects, and could take forever.
 */
export const isMatcher = (text: string): boolean => /^[\w|*.:/ -]*$/.test(text);

/** Whether a matcher matches the whole name of a tool. `undefined` matches all. */
export function matchesTool(matcher: string | undefined, name: string): boolean {
  if (matcher === undefined) return true;
  return matcher.split('|').some((each) => matchesPieces(each.split(/\.?\*/), name));
}

/** Whether a name consists of the pieces, in order, with any text between them. */
function matchesPieces([first = '', ...pieces]: readonly string[], name: string): boolean {
  const last = pieces.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
