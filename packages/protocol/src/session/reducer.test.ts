import { describe, expect, it } from 'vitest';
import type { ChatSummary } from '../chat/state.ts';
import type { McpServerCustomization } from '../mcp/state.ts';
import type { StateAction } from '../wire/envelope.ts';
import type { Customization, PluginCustomization, SkillCustomization } from './customization.ts';
import type { CustomizationEnablement } from './customization-base.ts';
import type { SessionInputRequest } from './input-needed.ts';
import { sessionReducer } from './reducer.ts';
import type { SessionState } from './state.ts';

function session(fields: Partial<SessionState> = {}): SessionState {
  const base = { provider: 'demo', title: 'Garden', status: 1, activeClients: [], chats: [] };
  return { ...base, lifecycle: 'ready', ...fields };
}

function reduce(state: SessionState, ...actions: StateAction[]): SessionState {
  return actions.reduce((next, action) => sessionReducer(next, action), state);
}

function summary(name: string, fields: Partial<ChatSummary> = {}): ChatSummary {
  const modifiedAt = '2026-02-03T04:05:06.789Z';
  return { resource: `ahp-chat:/${name}`, title: name, status: 1, modifiedAt, ...fields };
}

describe('lifecycle and status', () => {
  it('[SESS-4] ready changes no bit of the status', () => {
    const status = 8 + 32 + 2 ** 40;
    expect(reduce(session({ lifecycle: 'creating', status }), { type: 'session/ready' })).toStrictEqual(
      session({ status }),
    );
  });

  it('[SESS-4] a failed creation has a reason', () => {
    const error = { errorType: 'frost', message: 'Too cold' };
    expect(
      reduce(session({ lifecycle: 'creating' }), { type: 'session/creationFailed', error }),
    ).toStrictEqual(session({ lifecycle: 'failed', creationError: error }));
  });

  it.each([1, 2, 8, 24])('[SESS-4] flags toggle beside activity %i and bits beyond 32', (activity) => {
    const status = activity + 2 ** 31 + 2 ** 45;
    const read = reduce(session({ status }), { type: 'session/isReadChanged', isRead: true });
    expect(read.status).toBe(status + 32);
    const archived = reduce(read, { type: 'session/isArchivedChanged', isArchived: true });
    expect(archived.status).toBe(status + 32 + 64);
    expect(reduce(archived, { type: 'session/isReadChanged', isRead: false }).status).toBe(status + 64);
    expect(reduce(archived, { type: 'session/isReadChanged', isRead: true })).toBe(archived);
  });
});

describe('catalogue', () => {
  const two = session({ chats: [summary('rose', { activity: 'Growing' }), summary('fern')] });

  it('[SESS-6] a whole entry replaces its chat in place, so that a field can disappear', () => {
    const next = reduce(two, { type: 'session/chatAdded', summary: summary('rose', { title: 'Rose' }) });
    expect(next.chats).toStrictEqual([summary('rose', { title: 'Rose' }), summary('fern')]);
    expect(next.chats[1]).toBe(two.chats[1]);
  });

  it('[SESS-6] an update merges and never changes which chat it is', () => {
    const changes = { status: 8, resource: 'ahp-chat:/stolen' };
    const next = reduce(two, { type: 'session/chatUpdated', chat: 'ahp-chat:/rose', changes });
    expect(next.chats[0]).toStrictEqual(summary('rose', { activity: 'Growing', status: 8 }));
    expect(reduce(two, { type: 'session/chatUpdated', chat: 'ahp-chat:/oak', changes })).toBe(two);
  });

  it('[SESS-6] a removal clears the default chat only when it was that one', () => {
    const routed = { ...two, defaultChat: 'ahp-chat:/fern' };
    expect(reduce(routed, { type: 'session/chatRemoved', chat: 'ahp-chat:/rose' }).defaultChat).toBe(
      'ahp-chat:/fern',
    );
    expect(reduce(routed, { type: 'session/chatRemoved', chat: 'ahp-chat:/fern' })).toStrictEqual(
      session({ chats: [summary('rose', { activity: 'Growing' })] }),
    );
    expect(reduce(routed, { type: 'session/chatRemoved', chat: 'ahp-chat:/oak' })).toBe(routed);
  });

  it('[SESS-27] an order takes effect only if it names every chat exactly once', () => {
    const [a, b, c] = [summary('a'), summary('b', { status: 8 }), summary('c')];
    const before = session({ chats: [a, b, c], defaultChat: a.resource });
    const order = (...chats: ChatSummary[]): StateAction => ({
      type: 'session/chatsReordered',
      chats: chats.map(({ resource }) => resource),
    });
    const next = reduce(before, order(c, a, b));
    expect(next).toStrictEqual({ ...before, chats: [c, a, b] });
    const renamed = { type: 'session/chatUpdated', chat: b.resource, changes: { title: 'B' } } as const;
    expect(reduce(next, renamed).chats).toStrictEqual([c, a, { ...b, title: 'B' }]);
    for (const wrong of [order(a, b), order(a, b, b), order(a, b, summary('x')), order(a, b, c, c)])
      expect(reduce(before, wrong)).toBe(before);
    expect(reduce(before, order(a, b, c))).toBe(before);
  });

  it('[SESS-28] an update of an entry may carry its changes and whether it is movable', () => {
    const before = session({ chats: [summary('a', { movable: true })] });
    const changes = { movable: false, changes: { files: 2 } };
    expect(reduce(before, { type: 'session/chatUpdated', chat: 'ahp-chat:/a', changes }).chats).toStrictEqual(
      [summary('a', changes)],
    );
  });

  it('[SESS-6] the default chat is set and cleared', () => {
    const routed = reduce(two, { type: 'session/defaultChatChanged', defaultChat: 'ahp-chat:/rose' });
    expect(routed.defaultChat).toBe('ahp-chat:/rose');
    expect(reduce(routed, { type: 'session/defaultChatChanged' })).toStrictEqual(two);
  });
});

describe('open blocks', () => {
  const block = (id: string): SessionInputRequest => {
    return { kind: 'chatInput', id, chat: 'ahp-chat:/rose', request: { id: 'q' } };
  };

  it.each([1, 2, 8])(
    '[SESS-7] a block raises InputNeeded over activity %i and keeps the flags',
    (activity) => {
      const next = reduce(session({ status: activity + 96 }), {
        type: 'session/inputNeededSet',
        request: block('a'),
      });
      expect(next).toStrictEqual(session({ status: 24 + 96, inputNeeded: [block('a')] }));
    },
  );

  it('[SESS-7] only the last removal ends InputNeeded, with InProgress', () => {
    const both = session({ status: 24 + 32, inputNeeded: [block('a'), block('b')] });
    const one = reduce(both, { type: 'session/inputNeededRemoved', id: 'a' });
    expect(one).toStrictEqual(session({ status: 24 + 32, inputNeeded: [block('b')] }));
    expect(reduce(one, { type: 'session/inputNeededRemoved', id: 'a' })).toBe(one);
    expect(reduce(one, { type: 'session/inputNeededRemoved', id: 'b' })).toStrictEqual(
      session({ status: 8 + 32 }),
    );
  });

  const run: SessionInputRequest = {
    kind: 'toolClientExecution',
    id: 'r',
    chat: 'ahp-chat:/rose',
    turnId: 't',
    clientId: 'desk',
    toolCall: {
      toolCallId: 'c',
      toolName: 'x',
      displayName: 'X',
      invocationMessage: '',
      status: 'running',
      confirmed: 'not-needed',
    },
  };

  it.each([
    [1, 1],
    [2, 2],
    [8, 8],
    [24, 8],
  ])('[SESS-26] a call of a client tool alone turns activity %i into %i', (before, after) => {
    const set = { type: 'session/inputNeededSet', request: run } as const;
    expect(reduce(session({ status: before + 32 }), set)).toStrictEqual(
      session({ status: after + 32, inputNeeded: [run] }),
    );
  });

  it('[SESS-26] InputNeeded ends with the last entry that waits for a person', () => {
    const both = session({ status: 24, inputNeeded: [run, block('a')] });
    expect(reduce(both, { type: 'session/inputNeededRemoved', id: 'a' })).toStrictEqual(
      session({ status: 8, inputNeeded: [run] }),
    );
    expect(reduce(both, { type: 'session/inputNeededRemoved', id: 'r' }).status).toBe(24);
  });
});

describe('clients and fields', () => {
  it('[SESS-8] an active client is upserted by id and removed by id', () => {
    const desk = { clientId: 'desk', tools: [] };
    const phone = { clientId: 'phone', tools: [] };
    const both = session({ activeClients: [desk, phone] });
    const activeClient = { ...desk, displayName: 'Desk' };
    expect(reduce(both, { type: 'session/activeClientSet', activeClient }).activeClients).toStrictEqual([
      activeClient,
      phone,
    ]);
    expect(reduce(both, { type: 'session/activeClientSet', activeClient: { ...phone } })).toBe(both);
    expect(
      reduce(both, { type: 'session/activeClientRemoved', clientId: 'desk' }).activeClients,
    ).toStrictEqual([phone]);
    expect(reduce(both, { type: 'session/activeClientRemoved', clientId: 'tv' })).toBe(both);
  });

  it('[SESS-9] config merges, replaces, and is not created if absent', () => {
    const schema = { type: 'object' as const, properties: {} };
    const configured = session({ config: { schema, values: { a: 1, b: 2 } } });
    const changed = { type: 'session/configChanged', config: { b: 3 } } as const;
    expect(reduce(configured, changed).config?.values).toStrictEqual({ a: 1, b: 3 });
    expect(reduce(configured, { ...changed, replace: true }).config?.values).toStrictEqual({ b: 3 });
    expect(reduce(configured, { ...changed, config: { a: 1 } })).toBe(configured);
    const bare = session();
    expect(reduce(bare, changed)).toBe(bare);
  });

  it.each<[StateAction, Partial<SessionState>]>([
    [{ type: 'session/titleChanged', title: 'Orchard' }, { title: 'Orchard' }],
    [{ type: 'session/activityChanged', activity: 'Digging' }, { activity: 'Digging' }],
    [{ type: 'session/metaChanged', _meta: { b: 2 } }, { _meta: { b: 2 } }],
    [{ type: 'session/serverToolsChanged', tools: [{ name: 'hoe' }] }, { serverTools: [{ name: 'hoe' }] }],
  ])('[SESS-10] %o replaces the whole field', (action, fields) => {
    const before = session({ _meta: { a: 1 }, serverTools: [{ name: 'rake' }], activity: 'Resting' });
    const next = reduce(before, action);
    expect(next).toStrictEqual({ ...before, ...fields });
    expect(reduce(next, action)).toBe(next);
  });

  it('[SESS-10] absence clears activity, meta and changesets', () => {
    const changesets = [{ label: 'All', uriTemplate: 'ahp-changeset:/all', changeKind: 'session' }];
    expect(
      reduce(
        session({ activity: 'Digging', _meta: { a: 1 }, changesets }),
        { type: 'session/activityChanged' },
        { type: 'session/metaChanged' },
        { type: 'session/changesetsChanged' },
      ),
    ).toStrictEqual(session());
  });
});

describe('customizations', () => {
  const named = (id: string) => ({ id, uri: `file:///${id}`, name: id });
  const skill = (id: string): SkillCustomization => ({ ...named(id), type: 'skill' });
  const plugin = (id: string, children?: PluginCustomization['children']): PluginCustomization => {
    return { ...named(id), type: 'plugin', ...(children && { children }) };
  };
  const server = (id: string, channel?: string): McpServerCustomization => {
    const state = { kind: 'ready' as const };
    return { ...named(id), type: 'mcpServer', state, ...(channel && { channel }) };
  };
  const list: Customization[] = [
    plugin('raw'),
    plugin('tools', [skill('lint'), server('barn', 'mcp://barn')]),
    server('shed'),
  ];
  const state = session({ customizations: list });

  it('[CUST-1] a new list replaces the old one', () => {
    expect(
      reduce(state, { type: 'session/customizationsChanged', customizations: [] }).customizations,
    ).toStrictEqual([]);
  });

  it('[CUST-1] an update replaces the entry whole, or appends it', () => {
    const replaced = reduce(state, { type: 'session/customizationUpdated', customization: plugin('tools') });
    expect(replaced.customizations).toStrictEqual([list[0], plugin('tools'), list[2]]);
    const first = reduce(session(), { type: 'session/customizationUpdated', customization: plugin('new') });
    expect(first.customizations).toStrictEqual([plugin('new')]);
  });

  it('[CUST-1] a removal finds top-level entries and children', () => {
    const top = reduce(state, { type: 'session/customizationRemoved', id: 'tools' });
    expect(top.customizations).toStrictEqual([list[0], list[2]]);
    const child = reduce(state, { type: 'session/customizationRemoved', id: 'barn' });
    expect(child.customizations).toStrictEqual([list[0], plugin('tools', [skill('lint')]), list[2]]);
    expect(reduce(state, { type: 'session/customizationRemoved', id: 'nobody' })).toBe(state);
  });

  it('[CUST-20] [CUST-21] a toggle replaces the decisions of the top-level entry, else those of the child', () => {
    const enablement: CustomizationEnablement[] = [
      { kind: 'session', enabled: false },
      { kind: 'global', enabled: true },
    ];
    const toggle = { type: 'session/customizationToggled', enablement } as const;
    const top = reduce(state, { ...toggle, id: 'shed' });
    expect(top.customizations?.[2]).toStrictEqual({ ...server('shed'), enablement });
    expect(reduce(top, { ...toggle, id: 'shed', enablement: [] })).toStrictEqual(state);
    const barn = reduce(state, { ...toggle, id: 'barn' });
    expect(barn.customizations?.[1]).toMatchObject({ children: [{}, { id: 'barn', enablement }] });
    const child = reduce(state, { ...toggle, id: 'lint' });
    expect(child.customizations?.[1]).toStrictEqual(
      plugin('tools', [{ ...skill('lint'), enabled: false }, server('barn', 'mcp://barn')]),
    );
    expect(reduce(state, { ...toggle, id: 'nobody' })).toBe(state);
    expect(reduce(state, { ...toggle, id: 'raw', enablement: [] })).toBe(state);
    const enabled = reduce(child, { ...toggle, id: 'lint', enablement: [] });
    expect(enabled.customizations?.[1]).toMatchObject({ children: [{ id: 'lint', enabled: true }, {}] });
  });

  it('[MCP-1] a new state sets the channel, or clears it', () => {
    const changed = { type: 'session/mcpServerStateChanged', state: { kind: 'starting' } } as const;
    const child = reduce(state, { ...changed, id: 'barn' });
    expect(child.customizations?.[1]).toStrictEqual(
      plugin('tools', [skill('lint'), { ...server('barn'), state: { kind: 'starting' as const } }]),
    );
    const top = reduce(state, { ...changed, id: 'shed', channel: 'mcp://shed' });
    expect(top.customizations?.[2]).toStrictEqual({
      ...server('shed', 'mcp://shed'),
      state: { kind: 'starting' },
    });
  });

  it('[MCP-21] a request for the background ends a blocking start, and changes no other state', () => {
    const starting = (id: string, blocking: boolean): StateAction => ({
      type: 'session/mcpServerStateChanged',
      id,
      state: { kind: 'starting', blocking },
    });
    const background = (id: string): StateAction => ({ type: 'session/mcpServerBackgroundRequested', id });
    for (const id of ['barn', 'shed']) {
      const blocking = reduce(state, starting(id, true));
      const next = reduce(blocking, background(id));
      expect(next).toStrictEqual(reduce(state, starting(id, false)));
      expect(reduce(next, background(id))).toBe(next);
      expect(reduce(state, background(id))).toBe(state);
    }
    for (const id of ['tools', 'nobody']) expect(reduce(state, background(id))).toBe(state);
  });

  it('[MCP-1] only a server has a state', () => {
    const changed = { type: 'session/mcpServerStateChanged', state: { kind: 'stopped' } } as const;
    for (const id of ['tools', 'lint', 'nobody']) expect(reduce(state, { ...changed, id })).toBe(state);
  });

  it.each([
    ['session/mcpServerStartRequested', 'starting'],
    ['session/mcpServerStopRequested', 'stopped'],
  ] as const)('[MCP-1] %s leads to %s without a channel', (type, kind) => {
    const next = reduce(state, { type, id: 'barn' });
    expect(next.customizations?.[1]).toStrictEqual(
      plugin('tools', [skill('lint'), { ...server('barn'), state: { kind } }]),
    );
    expect(reduce(next, { type, id: 'barn' })).toBe(next);
  });
});
