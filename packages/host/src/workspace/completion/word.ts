/** What typing one of these characters asks for: files and folders, commands of the agent, earlier turns. */
export type CompletionTrigger = '@' | '/' | '#';

/** All of them. */
export const COMPLETION_TRIGGERS: readonly CompletionTrigger[] = ['@', '/', '#'];

/** What is being written at the cursor. */
export interface CompletionWord {
  readonly trigger: CompletionTrigger;
  /** What follows the trigger, up to the cursor; quotes and escapes taken away. */
  readonly query: string;
  /** The range that a proposal replaces, in UTF-16 code units: never half of a character. */
  readonly start: number;
  readonly end: number;
}

/** Further back no word begins, in UTF-16 code units: what is asked for at each key stroke may not cost the whole message. */
const MAX_WORD = 512;

/** Behind a letter or digit an @ is part of an address, and a # of one as well. */
const BEGINNING = String.raw`(?<![\p{L}\p{N}\p{M}_.+\-/@#&])`;
const PLAIN = new RegExp(String.raw`${BEGINNING}([@#])(?!")(\S*)$`, 'u');
const QUOTED = new RegExp(String.raw`${BEGINNING}([@#])"((?:[^"\\\n]|\\.)*)$`, 'u');
/** The rest of a word that the cursor stands in; not the full stop of its sentence. */
const REST = /^[\p{L}\p{N}\p{M}_/-]*(?:\.[\p{L}\p{N}\p{M}_/-]+)*/u;

/** The word that ends at, or goes on behind, `offset` (0 to the text's length); `undefined` where there is nothing to propose. */
export function completionWordAt(text: string, offset: number): CompletionWord | undefined {
  // Within a pair of surrogates: the character as a whole is behind the cursor.
  const cursor = isWithinPair(text, offset) ? offset - 1 : offset;
  const before = text.slice(Math.max(0, cursor - MAX_WORD), cursor);
  if (cursor <= MAX_WORD && /^\/\S*$/u.test(before)) {
    const rest = /^\S*/u.exec(text.slice(cursor, cursor + MAX_WORD))?.[0] ?? '';
    return { trigger: '/', query: before.slice(1), start: 0, end: cursor + rest.length };
  }
  const quoted = QUOTED.exec(before);
  const [whole = '', sign, typed = ''] = quoted ?? PLAIN.exec(before) ?? [];
  if (sign !== '@' && sign !== '#') return undefined;
  // With the cursor right behind the trigger, what follows was there before it and stays.
  let end = cursor + (typed === '' ? 0 : restAt(text, cursor));
  if (quoted !== null && text[end] === '"') end += 1;
  return {
    trigger: sign,
    query: quoted === null ? typed : unescaped(typed),
    start: cursor - whole.length,
    end,
  };
}

const restAt = (text: string, cursor: number): number =>
  REST.exec(text.slice(cursor, cursor + MAX_WORD))?.[0].length ?? 0;

const unescaped = (typed: string): string =>
  typed.replace(/\\(.)/gsu, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));

function isWithinPair(text: string, offset: number): boolean {
  const pair = text.slice(offset - 1, offset + 1);
  return offset > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair);
}
