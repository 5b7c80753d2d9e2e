import { describe, expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const old = dialectOf('0.7.0');
const off = [
  { kind: 'session', enabled: false },
  { kind: 'workspace', uri: 'file:///w', enabled: true },
  { kind: 'global', enabled: true },
];
const server = { type: 'mcpServer', id: 's', state: { kind: 'ready' } };
const state = {
  customizations: [
    { type: 'plugin', id: 'p', enablement: off, children: [{ ...server, enablement: [] }] },
    { type: 'directory', id: 'd', enabled: false },
  ],
  activeClients: [{ clientId: 'c', customizations: [{ type: 'plugin', id: 'q', childEnablement: {} }] }],
};

describe('[DIA-1] [CUST-20] step C, decisions about customizations', () => {
  it('[DIA-1] the first decision is the flag; none is true', () => {
    expect(old.stateDown('session', state, {})).toStrictEqual({
      customizations: [
        { type: 'plugin', id: 'p', enabled: false, children: [{ ...server, enabled: true }] },
        { type: 'directory', id: 'd', enabled: false },
      ],
      activeClients: [{ clientId: 'c', customizations: [{ type: 'plugin', id: 'q', enabled: true }] }],
    });
    expect(dialectOf('0.8.0').stateDown('session', state, {})).toBe(state);
  });

  it('[DIA-1] [CUST-21] a toggle has a flag, and from an older client it keeps the other decisions', () => {
    const type = 'session/customizationToggled';
    expect(old.actionDown({ type, id: 'p', enablement: off }, {})).toStrictEqual([
      { type, id: 'p', enabled: false },
    ]);
    expect(old.actionUp({ type, id: 'p', enabled: true }, { before: state })).toStrictEqual({
      type,
      id: 'p',
      enablement: [{ kind: 'session', enabled: true }, off[1], off[2]],
    });
    expect(old.actionUp({ type, id: 's', enabled: false }, {})).toStrictEqual({
      type,
      id: 's',
      enablement: [{ kind: 'session', enabled: false }],
    });
  });

  it('[DIA-6] a flag in a state is a decision for the session, and [CUST-22] that of a client for all sessions', () => {
    const given = {
      customizations: [{ ...server, enabled: false }],
      activeClients: [
        { clientId: 'c', customizations: [{ type: 'plugin', id: 'q', enabled: false }] },
        { clientId: 'd', customizations: [{ type: 'plugin', id: 'r', enabled: true }] },
      ],
    };
    expect(old.stateUp('session', given, {})).toStrictEqual({
      customizations: [{ ...server, enablement: [{ kind: 'session', enabled: false }] }],
      activeClients: [
        {
          clientId: 'c',
          customizations: [{ type: 'plugin', id: 'q', enablement: [{ kind: 'global', enabled: false }] }],
        },
        { clientId: 'd', customizations: [{ type: 'plugin', id: 'r' }] },
      ],
    });
  });
});

it('[DIA-1] [AUTH-21] step C: a request for a token names its resource only', () => {
  const params = { channel: 'ahp-root://', resource: { resource: 'https://a' }, reason: 'expired' };
  expect(old.notificationDown('auth/required', params, {})).toStrictEqual({
    ...params,
    resource: 'https://a',
  });
  expect(dialectOf('0.8.0').notificationDown('auth/required', params, {})).toBe(params);
});
