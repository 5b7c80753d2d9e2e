import { expect, test } from 'vitest';
import { hintsOf } from '../keys/bindings.ts';
import type { Line } from '../text/line.ts';
import { lineCells } from '../text/wrap.ts';
import { helpLines, hintLines, ruleLine, statusLine, windowed } from './frame.ts';

const said = (spans: Line): string => spans.map(({ text }) => text).join('');
const facts = { width: 60, address: 'host:1', notice: undefined, opening: false, now: 1_000 };

test('key hints fit their line, and the hint for help stays', () => {
  const hints = hintsOf('composer', new Set(['isRunning', 'canStop', 'isTalk', 'isEmpty']));
  for (const width of [30, 40, 80]) {
    const lines = hintLines(hints, width, 2);
    expect(lines.length).toBeLessThanOrEqual(2);
    for (const each of lines) expect(lineCells(each)).toBeLessThanOrEqual(width);
    expect(said(lines.at(-1) ?? [])).toMatch(/\? help$/);
  }
  expect(said(hintLines(hints, 200, 2)[0] ?? [])).toContain('Ctrl-S steer');
});

test('a window over lines contains the focused line', () => {
  const lines = Array.from({ length: 20 }, (_, row): Line => [{ text: String(row) }]);
  const { lines: shown, top } = windowed(lines, 5, 18);
  expect([shown.length, top]).toEqual([5, 15]);
  expect(windowed(lines, 5, 0).top).toBe(0);
});

test('a separator line has the full width, with or without a label', () => {
  expect(said(ruleLine([], 10))).toBe('──────────');
  expect(lineCells(ruleLine([{ text: 'said' }], 30))).toBe(30);
});

test('the status line shows the connection, and an event before it', () => {
  expect(said(statusLine({ state: 'online', since: 0 }, facts))).toBe('connected to host:1');
  expect(said(statusLine({ state: 'online', since: 0 }, { ...facts, isObserving: true }))).toBe(
    'connected to host:1, read-only',
  );
  const lost = { state: 'waiting', attempt: 1, retryAt: 3_500, reason: 'gone\u001b[2J' } as const;
  expect(said(statusLine(lost, facts))).toBe('connection lost: gone; next try in 3 s');
  const notice = { text: 'not answered: too late', tone: 'problem' } as const;
  expect(said(statusLine({ state: 'online', since: 0 }, { ...facts, notice }))).toBe(
    'not answered: too late',
  );
});

test('help begins with the keys of the current view', () => {
  expect(said(helpLines(60, 'queue')[0] ?? [])).toBe('Queued messages');
});
