import type { AgentTerminal } from '../agents/agent-terminal.ts';

// Built from strings, so that no control character stands in the source.
const ESC = String.raw`\u001b`;
const sequences = new RegExp(
  [
    // Control sequences: colours, cursor movements.
    String.raw`(?:${ESC}\[|\u009b)[0-?]*[ -/]*[@-~]`,
    // Strings for the terminal itself (titles, links): up to their end, or as much as there is of them.
    String.raw`${ESC}[\]PX^_][^\u0007${ESC}]*(?:\u0007|${ESC}\\)?`,
    String.raw`${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
const otherControls = /[^\P{Cc}\t\n]/gu;
const erased = new RegExp(String.raw`[^\u0008\n]\u0008`, 'u');

/**
 * Output of a terminal as a model or a log reads it: without escape sequences and control characters, and of a line that was written
 * over (a progress bar) what it said last.
 */
export function plainText(output: string): string {
  return output.replace(sequences, '').split('\n').map(lastWritten).join('\n').replace(otherControls, '');
}

function lastWritten(line: string): string {
  let text = line.replace(/\r+$/, '');
  text = text.slice(text.lastIndexOf('\r') + 1);
  while (erased.test(text)) text = text.replace(erased, '');
  return text;
}

/** The end of a text, at most `maxBytes` of UTF-8, never cut inside a character. */
export function lastBytes(text: string, maxBytes: number): string {
  // A UTF-16 code unit is at least one byte: what lies before can never be in.
  const bytes = Buffer.from(maxBytes === 0 ? '' : text.slice(-maxBytes), 'utf8');
  let start = Math.max(0, bytes.length - maxBytes);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const end = bytes.toString('utf8', start);
  // The slice may have begun with half of a surrogate pair, which became a replacement character.
  return end.startsWith('\ufffd') && !text.endsWith(end) ? end.slice(1) : end;
}

/** What of a terminal's output goes along with a tool call, or to an agent. */
export interface TerminalText {
  readonly text: string;
  /** There was more before it. */
  readonly isTruncated: boolean;
}

/** Escape sequences take this many times the room of what is left of them, as a rule. */
const SEQUENCE_SHARE = 3;

/**
 * The newest output of a terminal in plain text, at most `maxBytes` of UTF-8; where something is missing, from a line start on if it
 * can.
 */
export function terminalText(terminal: Pick<AgentTerminal, 'output'>, maxBytes: number): TerminalText {
  const output = terminal.output(maxBytes * SEQUENCE_SHARE);
  const plain = plainText(output.isTruncated ? fromLineStart(output.text) : output.text);
  const text = lastBytes(plain, maxBytes);
  const isCut = text.length < plain.length;
  return { text: isCut ? fromLineStart(text) : text, isTruncated: output.isTruncated || isCut };
}

/** A line that is longer than all the rest stays, cut as it is. */
function fromLineStart(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 || end > text.length / 2 ? text : text.slice(end + 1);
}
