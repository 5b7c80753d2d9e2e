/** Longest word before the cursor, in UTF-16 code units; the same limit as the host's. */
const MAX_WORD = 512;

/** Signs at which a word of its own may begin behind other characters, such as an opening bracket. */
const PART_OF_WORD = /[\p{L}\p{N}_.+\-/@#&]/u;

/**
 * Whether the host may have completions at the cursor: a word with one of its trigger characters ends there [CHAT-16]. A slash counts only at the
 * start of the text, where commands are.
 */
export function isCompletable(text: string, offset: number, triggers: readonly string[]): boolean {
  const before = text.slice(Math.max(0, offset - MAX_WORD), offset);
  const word = /\S*$/u.exec(before)?.[0] ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return triggers.some((trigger) => {
    if (trigger === '') return false;
    if (trigger === '/') return word.startsWith('/') && word.length === offset;
    if (beginsAWord(word, word.lastIndexOf(trigger))) return true;
    const quote = line.lastIndexOf(`${trigger}"`);
    return beginsAWord(line, quote) && !line.slice(quote + trigger.length + 1).includes('"');
  });
}

function beginsAWord(text: string, index: number): boolean {
  return index === 0 || (index > 0 && !PART_OF_WORD.test(text.charAt(index - 1)));
}
