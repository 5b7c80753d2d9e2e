import type { TerminalQuery } from './events.ts';

/**
 * Parameters, intermediates and final byte of the queries that are always the same. They are matched exactly: what answers
 * them looks alike (DA1 is asked by `CSI c` and answered by `CSI ? 62 ; 22 c`), and an answer that a program echoes must not
 * be taken for a query.
 */
const FIXED: ReadonlyMap<string, TerminalQuery> = new Map<string, TerminalQuery>([
  ['c', { kind: 'primaryAttributes' }],
  ['0c', { kind: 'primaryAttributes' }],
  ['>c', { kind: 'secondaryAttributes' }],
  ['>0c', { kind: 'secondaryAttributes' }],
  ['=c', { kind: 'tertiaryAttributes' }],
  ['=0c', { kind: 'tertiaryAttributes' }],
  ['>q', { kind: 'version' }],
  ['>0q', { kind: 'version' }],
  ['5n', { kind: 'status' }],
  ['6n', { kind: 'cursorPosition', isPrivate: false }],
  ['?6n', { kind: 'cursorPosition', isPrivate: true }],
  ['14t', { kind: 'size', unit: 'pixels' }],
  ['16t', { kind: 'size', unit: 'cellPixels' }],
  ['18t', { kind: 'size', unit: 'cells' }],
]);

/** Final bytes of all queries. Other control sequences are skipped. */
const FINALS = new Set([...'cnqtp'].map((letter) => letter.charCodeAt(0)));

/** The longest is `?` with five digits and `$p`. */
const LONGEST = 8;

/** The query that a control sequence between these indexes (behind CSI, behind its final byte) is. */
export function queryOfControlSequence(data: Buffer, from: number, to: number): TerminalQuery | undefined {
  if (to - from > LONGEST || !FINALS.has(data[to - 1] ?? 0)) return undefined;
  const sequence = data.toString('latin1', from, to);
  const mode = /^(\??)(\d{1,5})\$p$/.exec(sequence);
  if (mode === null) return FIXED.get(sequence);
  return { kind: 'mode', mode: Number(mode[2]), isPrivate: mode[1] !== '' };
}

/** The query that a DCS with this content is. */
export function queryOfDeviceString(content: string): TerminalQuery | undefined {
  if (content.startsWith('+q')) return { kind: 'capability', request: content.slice(2) };
  if (content.startsWith('$q')) return { kind: 'setting', request: content.slice(2) };
  return undefined;
}

const COLORS = ['foreground', 'background', 'cursor'] as const;

/**
 * The queries in OSC 10, 11 or 12: each further parameter is about the next colour, and those that are not `?` set it (xterm
 * ctlseqs, "Operating System Commands").
 */
export function colorQueries(first: number, parameters: string, terminator: 'bel' | 'st'): TerminalQuery[] {
  return parameters.split(';').flatMap((parameter, index) => {
    const of = COLORS[first - 10 + index];
    return parameter === '?' && of !== undefined ? [{ kind: 'color' as const, of, terminator }] : [];
  });
}
