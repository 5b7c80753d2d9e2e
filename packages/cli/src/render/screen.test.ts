import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Screen } from './screen.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a screen', () => {
  test('keeps text and notes of one terminal on lines of their own', () => {
    const context = new FakeContext({ isTerminal: true });
    const screen = new Screen(context);
    screen.text('half a line');
    screen.note('a note');
    screen.text('more\n');
    screen.note('another');
    expect(context.out).toBe('half a line\nmore\n');
    expect(context.err).toBe('a note\nanother\n');
  });

  test('adds nothing to output in a pipe', () => {
    const context = new FakeContext();
    const screen = new Screen(context);
    screen.text('half a line');
    screen.note('a note');
    expect(context.out).toBe('half a line');
  });

  test('shows progress after a second in a pipe as one line, and only once', () => {
    const context = new FakeContext();
    const screen = new Screen(context);
    screen.status('working');
    vi.advanceTimersByTime(999);
    expect(context.err).toBe('');
    vi.advanceTimersByTime(10_000);
    screen.text('text\n');
    vi.advanceTimersByTime(10_000);
    expect(context.err).toBe('working\n');
    screen.status(undefined);
  });

  test('shows progress in a terminal as a line that counts and disappears', () => {
    const context = new FakeContext({ isTerminal: true });
    const screen = new Screen(context);
    screen.status('working');
    vi.advanceTimersByTime(2_000);
    expect(context.err).toContain('working (1 s)');
    expect(context.err).toContain('working (2 s)');
    screen.note('done');
    expect(context.err.endsWith('\r\u001b[Kdone\n')).toBe(true);
    screen.status(undefined);
    const before = context.err;
    vi.advanceTimersByTime(5_000);
    expect(context.err).toBe(before);
  });

  test('holds progress and then shows the current wait', () => {
    const context = new FakeContext();
    const screen = new Screen(context);
    screen.status('waiting for demo');
    screen.holdStatus(true);
    screen.note('lost');
    vi.advanceTimersByTime(5_000);
    expect(context.err).toBe('lost\n');
    screen.status('cancelling');
    screen.holdStatus(false);
    vi.advanceTimersByTime(5_000);
    expect(context.err).toBe('lost\ncancelling\n');
    screen.status(undefined);
  });

  test('shows nothing for waits below a second', () => {
    const context = new FakeContext();
    const screen = new Screen(context);
    screen.status('working');
    vi.advanceTimersByTime(900);
    screen.status(undefined);
    vi.advanceTimersByTime(5_000);
    expect(context.err).toBe('');
  });

  test('ends the line of an unanswered question', () => {
    const context = new FakeContext({ isTerminal: true });
    const screen = new Screen(context);
    screen.ask('yes? ');
    screen.note('too late');
    screen.ask('yes? ');
    screen.answered();
    screen.note('thanks');
    expect(context.err).toBe('yes? \ntoo late\nyes? thanks\n');
  });

  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ TERM: 'dumb' }, true, false],
  ])('with environment %j and a terminal: %s it has colours: %s', (env, isTerminal, hasColors) => {
    const context = new FakeContext({ isTerminal });
    context.env = env;
    expect(new Screen(context).colors.isColorSupported).toBe(hasColors);
  });

  test('uses plain marks if the locale has no others', () => {
    const context = new FakeContext();
    expect(new Screen(context).marks.done).toBe('✓');
    context.env = { LANG: 'C' };
    expect(new Screen(context).marks.done).toBe('+');
  });
});
