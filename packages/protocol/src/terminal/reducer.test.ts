import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import { terminalReducer } from './reducer.ts';
import type { TerminalCommandPart, TerminalContentPart, TerminalState } from './state.ts';

function terminal(content: TerminalContentPart[], fields: Partial<TerminalState> = {}): TerminalState {
  return {
    title: 'zsh',
    content,
    lifecycle: { status: 'running' },
    claim: { kind: 'client', clientId: 'desk' },
    ...fields,
  };
}

function command(
  commandId: string,
  output: string,
  fields: Partial<TerminalCommandPart> = {},
): TerminalCommandPart {
  return {
    type: 'command',
    commandId,
    commandLine: commandId,
    output,
    timestamp: 5,
    isComplete: false,
    ...fields,
  };
}

function text(value: string): TerminalContentPart {
  return { type: 'unclassified', value };
}

function reduce(state: TerminalState, ...actions: StateAction[]): TerminalState {
  return actions.reduce((next, action) => terminalReducer(next, action), state);
}

describe('terminalReducer', () => {
  const done = command('ls', 'a', { isComplete: true });

  it.each<[TerminalContentPart[], TerminalContentPart[]]>([
    [[], [text('x')]],
    [[text('$ ')], [text('$ x')]],
    [
      [text('$ '), command('ls', 'a')],
      [text('$ '), command('ls', 'ax')],
    ],
    [[done], [done, text('x')]],
    [
      [command('open', ''), text('$ ')],
      [command('open', ''), text('$ x')],
    ],
  ])('[TERM-2] data after %j is appended to the last part or starts one', (before, after) => {
    expect(reduce(terminal(before), { type: 'terminal/data', data: 'x' })).toStrictEqual(terminal(after));
  });

  it('[TERM-2] a command part starts open and sets command detection', () => {
    const executed = {
      type: 'terminal/commandExecuted',
      commandId: 'ls',
      commandLine: 'ls',
      timestamp: 5,
    } as const;
    expect(reduce(terminal([text('$ ')]), executed)).toStrictEqual(
      terminal([text('$ '), command('ls', '')], { supportsCommandDetection: true }),
    );
  });

  it('[TERM-2] the end of a command completes the part with its id, wherever it is', () => {
    const state = terminal([command('ls', 'a'), text('$ ')]);
    const finished = {
      type: 'terminal/commandFinished',
      commandId: 'ls',
      exitCode: 2,
      durationMs: 7,
    } as const;
    const ended = command('ls', 'a', { isComplete: true, exitCode: 2, durationMs: 7 });
    expect(reduce(state, finished)).toStrictEqual(terminal([ended, text('$ ')]));
    expect(reduce(state, { ...finished, commandId: 'pwd' })).toBe(state);
  });

  it('[TERM-2] clearing empties the content and nothing else', () => {
    const state = terminal([done], { cols: 80, supportsCommandDetection: true });
    const cleared = reduce(state, { type: 'terminal/cleared' });
    expect(cleared).toStrictEqual({ ...state, content: [] });
    expect(reduce(cleared, { type: 'terminal/cleared' })).toBe(cleared);
  });

  it('[TERM-4] cleared output counts as trimmed, except a screen that stands for trimmed output', () => {
    const content = [text('screen'), text('$ '), command('ls', 'a😀')];
    const cleared = (isFolded: boolean): TerminalState =>
      reduce({ ...terminal(content), 'x-trimmed': { units: 9, isFolded } }, { type: 'terminal/cleared' });
    expect(cleared(true)).toStrictEqual({ ...terminal([]), 'x-trimmed': { units: 14, isFolded: false } });
    expect(cleared(false)).toMatchObject({ content: [], 'x-trimmed': { units: 20 } });
  });

  it('[TERM-2] input does not change the state', () => {
    const state = terminal([text('Password: ')]);
    expect(reduce(state, { type: 'terminal/input', data: 'hunter2\r' })).toBe(state);
  });

  it.each<[StateAction, Partial<TerminalState>]>([
    [
      { type: 'terminal/resized', cols: 132, rows: 43 },
      { cols: 132, rows: 43 },
    ],
    [
      { type: 'terminal/claimed', claim: { kind: 'session', session: 's', chat: 'c' } },
      { claim: { kind: 'session', session: 's', chat: 'c' } },
    ],
    [{ type: 'terminal/titleChanged', title: 'vi' }, { title: 'vi' }],
    [{ type: 'terminal/cwdChanged', cwd: 'file:///b' }, { cwd: 'file:///b' }],
    [{ type: 'terminal/exited', exitCode: 129 }, { lifecycle: { status: 'exited', exitCode: 129 } }],
    [{ type: 'terminal/exited' }, { lifecycle: { status: 'exited' } }],
    [{ type: 'terminal/commandDetectionAvailable' }, { supportsCommandDetection: true }],
  ])('[TERM-2] %o sets its field', (action, fields) => {
    const next = reduce(terminal([]), action);
    expect(next).toStrictEqual(terminal([], fields));
    expect(reduce(next, action)).toBe(next);
  });

  it('[TERM-20] a second exit replaces the lifecycle as a whole', () => {
    const ended = reduce(terminal([]), { type: 'terminal/exited', exitCode: 3 });
    expect(reduce(ended, { type: 'terminal/exited' }).lifecycle).toStrictEqual({ status: 'exited' });
    expect(reduce(ended, { type: 'terminal/exited', exitCode: 4 }).lifecycle).toStrictEqual({
      status: 'exited',
      exitCode: 4,
    });
  });
});
