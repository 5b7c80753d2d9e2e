import { describe, expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const claim = { kind: 'session', session: 's', chat: 'c', turnId: 't' };
const old = { kind: 'session', session: 's', turnId: 't' };
const terminal = { title: 'sh', content: [], claim, lifecycle: { status: 'running' } };
const info = (lifecycle: object) => ({ resource: 'ahp-terminal:/t', title: 'sh', claim, lifecycle });

describe('terminals for 0.8', () => {
  const dialect = dialectOf('0.8.0');

  it('[TERM-20] a terminal has an exit code exactly when it has ended', () => {
    expect(dialect.stateDown('terminal', terminal, {})).toEqual({ title: 'sh', content: [], claim: old });
    const exited = { ...terminal, lifecycle: { status: 'exited' } };
    expect(dialect.stateDown('terminal', exited, {})).toMatchObject({ exitCode: 1 });
    const list = [info({ status: 'running' }), info({ status: 'exited', exitCode: 129 })];
    const [action] = dialect.actionDown({ type: 'root/terminalsChanged', terminals: list }, {});
    expect(action).toEqual({
      type: 'root/terminalsChanged',
      terminals: [
        { resource: 'ahp-terminal:/t', title: 'sh', claim: old },
        { resource: 'ahp-terminal:/t', title: 'sh', claim: old, exitCode: 129 },
      ],
    });
    expect(dialectOf('0.9.0').stateDown('terminal', exited, {})).toBe(exited);
  });

  it('[TERM-20] an exit without a code gets one', () => {
    expect(dialect.actionDown({ type: 'terminal/exited' }, {})).toEqual([
      { type: 'terminal/exited', exitCode: 1 },
    ]);
    const coded = { type: 'terminal/exited', exitCode: 0 };
    expect(dialect.actionDown(coded, {})[0]).toBe(coded);
  });

  it('[DIA-6] a stored exit code becomes the lifecycle', () => {
    const { lifecycle: _, ...stored } = terminal;
    expect(dialect.stateUp('terminal', stored, {})).toEqual(terminal);
    expect(dialect.stateUp('terminal', { ...stored, exitCode: 3 }, {})).toEqual({
      ...terminal,
      lifecycle: { status: 'exited', exitCode: 3 },
    });
    expect(
      dialect.stateUp('root', { terminals: [{ ...info({}), lifecycle: undefined, exitCode: 2 }] }, {}),
    ).toEqual({
      terminals: [info({ status: 'exited', exitCode: 2 })],
    });
  });

  it('[TERM-21] a claim without a chat gets the one that the host finds', () => {
    const asked: unknown[] = [];
    const look = {
      chatOfClaim: (session: string, toolCallId?: string) => {
        asked.push([session, toolCallId]);
        return session === 's' ? 'c' : undefined;
      },
    };
    const claimed = { type: 'terminal/claimed', claim: old };
    expect(dialect.actionUp(claimed, look)).toEqual({ ...claimed, claim });
    const params = { channel: 'ahp-terminal:/t', claim: { kind: 'session', session: 's', toolCallId: 'x' } };
    expect(dialect.paramsUp('createTerminal', params, look)).toEqual({
      ...params,
      claim: { ...params.claim, chat: 'c' },
    });
    expect(asked).toEqual([
      ['s', undefined],
      ['s', 'x'],
    ]);
    const unknown = { ...claimed, claim: { kind: 'session', session: 'z' } };
    expect(dialect.actionUp(unknown, look)).toEqual(unknown);
    const own = { ...claimed, claim: { kind: 'client', clientId: 'a' } };
    expect(dialect.actionUp(own, look)).toEqual(own);
  });
});
