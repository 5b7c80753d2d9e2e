const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\u001b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\u001b[\]PX^_][^\u0007\u0018\u001a\u001b]*(?:\u0007|\u0018|\u001a|\u001b\\|(?=\u001b)|$)|\u001b[\x20-\x2f]*[\x30-\x7e]/g;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f]/g;

/** Output without escape sequences and control characters, for the clipboard. Of a line that was written repeatedly, the last text stays. */
export function plainOutput(output: string): string {
  return output
    .replace(SEQUENCES, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => {
      const last = line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
      return withoutBackspaces(last).replace(CONTROL, '').trimEnd();
    })
    .join('\n')
    .trimEnd();
}

function withoutBackspaces(line: string): string {
  if (!line.includes('\b')) return line;
  const kept: string[] = [];
  for (const character of line) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
