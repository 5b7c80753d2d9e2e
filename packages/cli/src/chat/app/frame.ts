import type { ConnectionState } from '@agenthost/client';
import { oneLine } from '../../render/plain-text.ts';
import {
  BINDINGS,
  type Binding,
  CONTEXT_TITLES,
  EDITING_KEYS,
  type KeyContext,
  keyRows,
} from '../keys/bindings.ts';
import { EMPTY_LINE, type Line, line, type Span, span } from '../text/line.ts';
import { cutLine, justified, lineCells, wrapLine } from '../text/wrap.ts';
import type { Tone } from './environment.ts';

/** Content of the window: `height` lines, and the position of the cursor in a text field. */
export interface Frame {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** Cells of the window. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Key hints in at most `height` lines. The hint for help is last and is never cut. */
export function hintLines(hints: readonly Binding[], width: number, height: number): Line[] {
  const help = hints.find(({ command }) => command === 'help');
  const cellsOfHint = ({ label, hint }: Binding): number => label.length + 1 + hint.length;
  const lines: Span[][] = [[]];
  let room = width;
  const put = (binding: Binding): void => {
    const line = lines.at(-1);
    if (line === undefined) return;
    if (line.length > 0) line.push(span('  '));
    line.push(span(binding.label, { bold: true }), span(` ${binding.hint}`, { dim: true }));
    room -= cellsOfHint(binding) + 2;
  };
  for (const binding of hints) {
    if (binding === help) continue;
    const isLastLine = lines.length >= height;
    const kept = isLastLine && help !== undefined ? cellsOfHint(help) + 2 : 0;
    if (cellsOfHint(binding) > room - kept) {
      if (isLastLine) break;
      lines.push([]);
      room = width;
    }
    put(binding);
  }
  if (help !== undefined) {
    if (cellsOfHint(help) > room && lines.length < height) lines.push([]);
    put(help);
  }
  return lines.map((line) => cutLine(line, width));
}

/** Maximum lines of key hints for a window of that height. */
export const hintRows = (rows: number): number => (rows >= 14 ? 2 : 1);

/** A horizontal rule with a label at its left. */
export function ruleLine(text: Line, width: number): Line {
  if (text.length === 0) return [span('─'.repeat(width), { dim: true })];
  const said = cutLine(text, width - 6);
  const rest = width - lineCells(said) - 4;
  return [span('── ', { dim: true }), ...said, span(` ${'─'.repeat(Math.max(0, rest))}`, { dim: true })];
}

/** Exactly `height` of the lines, the one at `focus` among them. */
export function windowed(
  lines: readonly Line[],
  height: number,
  focus: number,
): { lines: readonly Line[]; top: number } {
  if (lines.length <= height) return { lines, top: 0 };
  const top = Math.max(0, Math.min(focus - Math.floor(height / 2), lines.length - height));
  return { lines: lines.slice(top, top + height), top };
}

/** Pads lines to the height. */
export const filled = (lines: readonly Line[], height: number): Line[] => [
  ...lines.slice(0, height),
  ...Array.from({ length: Math.max(0, height - lines.length) }, () => EMPTY_LINE),
];

/** A line in one style, cut to the width. */
export const fitted = (text: string, width: number, style?: Span['style']): Line =>
  cutLine(line(text, style), width);

/** Content of the status line, the last line of the window. */
export interface StatusFacts {
  readonly width: number;
  readonly address: string;
  readonly notice: { readonly text: string; readonly tone: Tone } | undefined;
  /** The client may not act: by the scope of its token, and by no role in the open session. */
  readonly isObserving?: boolean;
  /** A session is being opened. */
  readonly opening: boolean;
  /** ms since the epoch. */
  readonly now: number;
}

/** The status line: a notice, or the state of the connection. */
export function statusLine(
  status: ConnectionState,
  { width, address, notice, opening, now, isObserving = false }: StatusFacts,
): Line {
  const connection = connectionLine(status, address, now, isObserving);
  const isOnline = status.state === 'online';
  if (notice !== undefined) {
    const told = line(notice.text, notice.tone === 'problem' ? { color: 'red' } : { color: 'green' });
    return isOnline ? cutLine(told, width) : justified(told, connection, width);
  }
  return cutLine(isOnline && opening ? line('opening the session', { dim: true }) : connection, width);
}

function connectionLine(status: ConnectionState, address: string, now: number, isObserving: boolean): Line {
  switch (status.state) {
    case 'online':
      return line(`connected to ${address}${isObserving ? ', read-only' : ''}`, { dim: true });
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((status.retryAt - now) / 1_000));
      return line(`connection lost: ${oneLine(status.reason, 60)}; next try in ${seconds} s`, {
        color: 'red',
      });
    }
    case 'replaced':
    case 'closed':
      return line(`connection closed: ${oneLine(status.error.message)}`, { color: 'red' });
    default:
      return line(`connecting to ${address}`, { color: 'yellow' });
  }
}

const contexts = Object.keys(BINDINGS).filter((name): name is KeyContext => name in CONTEXT_TITLES);
const LABEL_CELLS = 18;

/** Help with all keys, those of one context first. */
export function helpLines(width: number, first?: KeyContext): Line[] {
  const ordered =
    first === undefined ? contexts : [first, ...contexts.filter((context) => context !== first)];
  const row = ([label, hint]: readonly [string, string]): Line[] =>
    wrapLine(line(hint), width, {
      first: [span(`  ${label.padEnd(LABEL_CELLS)}`, { bold: true })],
      rest: [span(' '.repeat(LABEL_CELLS + 2))],
    });
  return [
    ...ordered.flatMap((context) => [
      line(CONTEXT_TITLES[context], { bold: true, color: 'cyan' }),
      ...keyRows(context).flatMap(row),
      EMPTY_LINE,
    ]),
    line('In text fields', { bold: true, color: 'cyan' }),
    ...EDITING_KEYS.flatMap(row),
  ];
}
