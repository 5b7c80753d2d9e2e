/**
 * The last `length` UTF-16 units of output that consists of `parts`, from the start of a line on if there is one. Reads only the parts that it
 * needs.
 */
export function outputTail(parts: readonly string[], length: number): string {
  let tail = '';
  for (let index = parts.length - 1; index >= 0 && tail.length < length; index--) {
    const part = parts[index] ?? '';
    tail = part.slice(-(length - tail.length)) + tail;
  }
  const isCut = parts.reduce((sum, part) => sum + part.length, 0) > tail.length;
  if (!isCut) return tail;
  const lineEnd = tail.indexOf('\n');
  return lineEnd < 0 ? tail : tail.slice(lineEnd + 1);
}
