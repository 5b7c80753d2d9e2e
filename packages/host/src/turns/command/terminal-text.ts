import type { AgentTerminal } from '../../agents/agent-terminal.ts';

// Built from strings, so that the source contains no control characters.
const ESC = String.raw`\u001b`;
const SEQUENCES = new RegExp(
  [
    // Control sequences: colours, cursor movements.
    String.raw`(?:${ESC}\[|\u009b)[0-?]*[ -/]*[@-~]`,
    // Strings for the terminal itself (titles, links), complete or cut.
    String.raw`${ESC}[\]PX^_][^\u0007${ESC}]*(?:\u0007|${ESC}\\)?`,
    String.raw`${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
const OTHER_CONTROLS = /[^\P{Cc}\t\n]/gu;
const ERASED = new RegExp(String.raw`[^\u0008\n]\u0008`, 'u');

/**
 * A terminal's output as text for a model or a log: without escape sequences and control characters, and with
 * only the last version of a line that was overwritten, such as a progress bar.
 */
export function plainText(output: string): string {
  return output.replace(SEQUENCES, '').split('\n').map(lastWritten).join('\n').replace(OTHER_CONTROLS, '');
}

function lastWritten(line: string): string {
  let text = line.replace(/\r+$/, '');
  text = text.slice(text.lastIndexOf('\r') + 1);
  while (ERASED.test(text)) text = text.replace(ERASED, '');
  return text;
}

/** The end of a text, at most `maxBytes` of UTF-8. Never cut inside a character. */
export function lastBytes(text: string, maxBytes: number): string {
  // A UTF-16 code unit takes at least one byte, so earlier text cannot be included.
  const bytes = Buffer.from(maxBytes === 0 ? '' : text.slice(-maxBytes), 'utf8');
  let start = Math.max(0, bytes.length - maxBytes);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const end = bytes.toString('utf8', start);
  // The slice may have started inside a surrogate pair, which became a replacement character.
  return end.startsWith('\ufffd') && !text.endsWith(end) ? end.slice(1) : end;
}

/** A part of a terminal's output, for a tool call or an agent. */
export interface TerminalText {
  readonly text: string;
  /** True when earlier output is missing. */
  readonly isTruncated: boolean;
}

/** Escape sequences usually take this many times the size of the remaining text. */
const SEQUENCE_SHARE = 3;

/**
 * The newest output of a terminal as plain text, at most `maxBytes` of UTF-8. Truncated output starts at a
 * line if possible.
 */
export function terminalText(terminal: Pick<AgentTerminal, 'output'>, maxBytes: number): TerminalText {
  const output = terminal.output(maxBytes * SEQUENCE_SHARE);
  const plain = plainText(output.isTruncated ? fromLineStart(output.text) : output.text);
  const text = lastBytes(plain, maxBytes);
  const isCut = text.length < plain.length;
  return { text: isCut ? fromLineStart(text) : text, isTruncated: output.isTruncated || isCut };
}

/** A line longer than the limit stays, cut at its start. */
function fromLineStart(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 || end > text.length / 2 ? text : text.slice(end + 1);
}
