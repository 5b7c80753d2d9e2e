/** A command that `watch` reads. */
export type WatchCommand =
  | { readonly name: 'nothing' | 'cancel' | 'leave' | 'help' }
  | { readonly name: 'approve' | 'deny' }
  /** The numbered answer to the question that waits longest. */
  | { readonly name: 'choose'; readonly number: number }
  | { readonly name: 'say'; readonly text: string };

/** The commands on one line. */
export const WATCH_HELP =
  'a or y approves or answers, d or n denies, a number chooses, c cancels, "say <text>" sends a message, q leaves (press Enter after each)';

/** Shown once at the end of piped input. */
export const INPUT_ENDED =
  'the input has ended: no more commands are read, other clients can still answer; Ctrl-C leaves';

const COMMAND_WORDS: Readonly<Record<string, 'approve' | 'deny' | 'cancel' | 'leave' | 'help'>> = {
  a: 'approve',
  approve: 'approve',
  y: 'approve',
  yes: 'approve',
  d: 'deny',
  deny: 'deny',
  n: 'deny',
  no: 'deny',
  c: 'cancel',
  cancel: 'cancel',
  q: 'leave',
  quit: 'leave',
  exit: 'leave',
};

/** Reads a typed line. What it does not know is `help`. */
export function readCommand(line: string): WatchCommand {
  const text = line.trim();
  if (text === '') return { name: 'nothing' };
  if (/^\d{1,3}$/.test(text)) return { name: 'choose', number: Number(text) };
  const said = /^say\s+([^]+)$/i.exec(text)?.[1];
  if (said !== undefined) return { name: 'say', text: said };
  const word = text.toLowerCase();
  return { name: (Object.hasOwn(COMMAND_WORDS, word) ? COMMAND_WORDS[word] : undefined) ?? 'help' };
}
