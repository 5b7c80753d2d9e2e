const SLASH = 47;

let lowerCase: Uint16Array | undefined;

/** The lower case of each UTF-16 code unit, where it is one code unit too. */
function lowerCaseTable(): Uint16Array {
  if (lowerCase !== undefined) return lowerCase;
  const table = Uint16Array.from({ length: 0x1_0000 }, (_, unit) => {
    const lower = String.fromCharCode(unit).toLowerCase();
    return lower.length === 1 ? lower.charCodeAt(0) : unit;
  });
  lowerCase = table;
  return table;
}

/** Writes `text[from, to)` in lower case to the same places of `target`. */
export function foldInto(target: Uint16Array, text: string, from: number, to: number): void {
  const table = lowerCaseTable();
  for (let at = from; at < to; at += 1) target[at] = table[text.charCodeAt(at)] ?? 0;
}

/** A query in the form in which it is compared with paths: composed (NFC), in lower case. */
export function foldQuery(query: string): Uint16Array {
  const text = query.normalize('NFC');
  const folded = new Uint16Array(text.length);
  foldInto(folded, text, 0, text.length);
  return folded;
}

/** The set of characters as 31 bits, without slashes. A text that lacks a bit of the query cannot match it. */
export function maskOf(folded: Uint16Array, from: number, to: number): number {
  let mask = 0;
  for (let at = from; at < to; at += 1) {
    const unit = folded[at] ?? 0;
    if (unit !== SLASH) mask |= 1 << bitOf(unit);
  }
  return mask;
}

function bitOf(unit: number): number {
  if (unit >= 97 && unit <= 122) return unit - 97;
  if (unit >= 48 && unit <= 57) return 26;
  if (unit === 46) return 27;
  if (unit === 45 || unit === 95) return 28;
  return unit < 128 ? 29 : 30;
}
