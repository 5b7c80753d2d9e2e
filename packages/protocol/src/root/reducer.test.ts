import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import { rootReducer } from './reducer.ts';
import type { RootState } from './state.ts';

const agent = { provider: 'demo', displayName: 'Demo', description: 'Scripted', models: [] };
const terminal = {
  resource: 'ahp-terminal:/1',
  title: 'zsh',
  lifecycle: { status: 'running' },
  claim: { kind: 'client', clientId: 'c' },
} as const;
const config = { schema: { type: 'object' as const, properties: {} }, values: { theme: 'dark', beta: true } };

function reduce(state: RootState, action: StateAction): RootState {
  return rootReducer(state, action);
}

describe('rootReducer', () => {
  it.each<[StateAction, Partial<RootState>]>([
    [{ type: 'root/agentsChanged', agents: [agent] }, { agents: [agent] }],
    [{ type: 'root/activeSessionsChanged', activeSessions: 2 }, { activeSessions: 2 }],
    [{ type: 'root/terminalsChanged', terminals: [terminal] }, { terminals: [terminal] }],
  ])('[ROOT-1] %o replaces its field and no other', (action, fields) => {
    const state: RootState = { agents: [], activeSessions: 1, terminals: [], config };
    const next = reduce(state, action);
    expect(next).toStrictEqual({ ...state, ...fields });
    expect(reduce(next, action)).toBe(next);
  });

  it('[ROOT-1] config merges, or replaces when asked, and keeps the schema', () => {
    const state: RootState = { agents: [], config };
    const change = { type: 'root/configChanged', config: { theme: 'light' } } as const;
    expect(reduce(state, change).config).toStrictEqual({ ...config, values: { theme: 'light', beta: true } });
    expect(reduce(state, { ...change, replace: true }).config).toStrictEqual({
      ...config,
      values: { theme: 'light' },
    });
  });

  it('[ROOT-1] without config a change does nothing', () => {
    const state: RootState = { agents: [] };
    expect(reduce(state, { type: 'root/configChanged', config: { a: 1 }, replace: true })).toBe(state);
  });
});
