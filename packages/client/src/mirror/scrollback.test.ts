import type { TerminalCommandPart, TerminalContentPart, TerminalState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { describe, expect, test } from 'vitest';
import { contentText } from '../handles/terminal-content.ts';
import { TERMINAL_MIRROR_LIMIT, trimContent, trimScrollback } from './scrollback.ts';

const text = (value: string): TerminalContentPart => ({ type: 'unclassified', value });
const command = (output: string): TerminalCommandPart => ({
  type: 'command',
  commandId: 'c',
  commandLine: 'ls',
  output,
  timestamp: 1,
  isComplete: true,
  exitCode: 0,
});

describe('[TERM-4] the scrollback of a terminal mirror', () => {
  test('content within the limit stays the same object', () => {
    const content = [text('a'.repeat(100)), command('b')];
    expect(trimContent(content, 1_000)).toBe(content);
  });

  test('beyond the limit, whole parts are dropped, and the oldest kept part starts at a line', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join('');
    const trimmed = trimContent([text('old\n'.repeat(100)), command(lines), text('$ ')], 1_000);
    expect(trimmed).toHaveLength(2);
    expect(trimmed[0]).toMatchObject({ type: 'command', exitCode: 0 });
    expect(contentText(trimmed)).toMatch(/^line \d+\n/);
    expect(contentText(trimmed)).toMatch(/line 59\n\$ $/);
    expect(contentText(trimmed).length).toBeLessThanOrEqual(500);
    expect(contentText(trimmed).length).toBeGreaterThan(250);
  });

  test('a tail without lines is cut at a character', () => {
    const [tail] = trimContent([text('😀'.repeat(1_000))], 1_001);
    expect(tail).toMatchObject({ type: 'unclassified' });
    const shown = contentText(tail === undefined ? [] : [tail]);
    expect(shown).toMatch(/^(?:😀){200,300}$/u);
    const [odd] = trimContent([text(`x${'😀'.repeat(1_000)}`)], 1_001);
    expect(contentText(odd === undefined ? [] : [odd])).toMatch(/^(?:😀){200,300}$/u);
  });

  test('commands without output count too', () => {
    const content = Array.from({ length: 1_000 }, () => command(''));
    expect(trimContent(content, 10_000).length).toBeLessThan(100);
  });

  test('the screen for trimmed output is dropped first, and the count of trimmed units continues from the host', () => {
    const state = (content: TerminalContentPart[], trimmed?: TerminalState['x-trimmed']): TerminalState => ({
      title: 'sh',
      lifecycle: { status: 'running' },
      claim: { kind: 'client', clientId: 'c1' },
      content,
      ...defined({ 'x-trimmed': trimmed }),
    });
    const lines = text('0123456\n'.repeat(TERMINAL_MIRROR_LIMIT / 8));
    const half = TERMINAL_MIRROR_LIMIT / 2;
    expect(trimScrollback(state([lines]))).not.toHaveProperty('x-trimmed');
    const own = trimScrollback(state([lines], { units: 0, isFolded: false }));
    const { units = 0 } = own['x-trimmed'] ?? {};
    expect(own).toEqual(
      state([text('0123456\n'.repeat((2 * half - units) / 8))], { units, isFolded: false }),
    );
    expect(units).toBeGreaterThanOrEqual(half);
    const told = trimScrollback(state([text('screen'), lines], { units: 1_000, isFolded: true }));
    expect(told).toEqual({ ...own, 'x-trimmed': { units: 1_000 + units, isFolded: false } });
    const screen = text('s'.repeat(half));
    const rest = text('r'.repeat(half));
    expect(trimScrollback(state([screen, rest], { units: 7, isFolded: true }))).toEqual(
      state([rest], { units: 7, isFolded: false }),
    );
    const small = state([text('screen'), text('rest')], { units: 7, isFolded: true });
    expect(trimScrollback(small)).toBe(small);
  });

  test('other channels are not trimmed', () => {
    const root = { agents: [] };
    expect(trimScrollback(root)).toBe(root);
    expect(TERMINAL_MIRROR_LIMIT).toBe(2_097_152);
  });
});
