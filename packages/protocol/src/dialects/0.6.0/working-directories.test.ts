import { describe, expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const old = dialectOf('0.6.0');
const state = {
  title: 'x',
  workingDirectories: ['file:///a', 'file:///b'],
  chats: [{ resource: 'c', workingDirectories: ['file:///b'] }],
};

describe('[DIA-1] step D, working directories', () => {
  it('[DIA-2] shows the first entry in states, catalogue entries and notifications', () => {
    expect(old.stateDown('session', state, {})).toStrictEqual({
      title: 'x',
      chats: [{ resource: 'c', workingDirectory: 'file:///b' }],
      workingDirectory: 'file:///a',
    });
    expect(old.stateDown('chat', { turns: [], workingDirectories: [] }, {})).toStrictEqual({ turns: [] });
    const changes = { workingDirectories: ['file:///b'] };
    expect(old.notificationDown('root/sessionSummaryChanged', { changes }, {})).toStrictEqual({
      changes: { workingDirectory: 'file:///b' },
    });
    expect(old.notificationDown('root/sessionSummaryChanged', { changes: { title: 'y' } }, {})).toStrictEqual(
      {
        changes: { title: 'y' },
      },
    );
    expect(old.actionDown({ type: 'session/chatUpdated', chat: 'c', changes }, {})).toStrictEqual([
      { type: 'session/chatUpdated', chat: 'c', changes: { workingDirectory: 'file:///b' } },
    ]);
    expect(dialectOf('0.7.0').stateDown('session', state, {})).toBe(state);
  });

  it('[DIA-4] sends no directory actions', () => {
    for (const type of ['session/workingDirectorySet', 'chat/workingDirectoryRemoved'])
      expect(old.actionDown({ type, directory: 'file:///a' }, {})).toStrictEqual([]);
  });

  it('[DIA-1] makes a list of the directory that a client names, and of that in a state', () => {
    expect(old.paramsUp('createSession', { channel: 's', workingDirectory: 'file:///a' }, {})).toStrictEqual({
      channel: 's',
      workingDirectories: ['file:///a'],
    });
    expect(old.paramsUp('createChat', { 'x-workingDirectory': 'file:///a' }, {})).toStrictEqual({
      workingDirectories: ['file:///a'],
    });
    const asked = { provider: 'p', workingDirectory: 'file:///a' };
    expect(old.paramsUp('resolveSessionConfig', asked, {})).toBe(asked);
    expect(old.stateUp('session', old.stateDown('session', state, {}), {})).toMatchObject({
      workingDirectories: ['file:///a'],
      chats: [{ workingDirectories: ['file:///b'] }],
    });
    expect(
      old.paramsUp(
        'x-importSession',
        { session: { workingDirectory: 'a' }, chats: [{ workingDirectory: 'b' }] },
        {},
      ),
    ).toStrictEqual({ session: { workingDirectories: ['a'] }, chats: [{ workingDirectories: ['b'] }] });
  });
});

describe('[DIA-1] step D, sources and attachments', () => {
  it('[DIA-1] [CHAT-38] a source without kind is a fork', () => {
    const source = { chat: 'c', turnId: 't' };
    expect(old.paramsUp('createChat', { source }, {})).toStrictEqual({ source: { kind: 'fork', ...source } });
    const strange = { source: 'x' };
    expect(old.paramsUp('createChat', strange, {})).toBe(strange);
  });

  it('[DIA-2] a side chat is a chat of a user, and an attached chat is its label', () => {
    const attachment = { type: 'chat', resource: 'c', endTurn: 't', label: 'Plan' };
    const message = { text: '', origin: { kind: 'user' }, attachments: [attachment] };
    expect(
      old.stateDown(
        'chat',
        { origin: { kind: 'sideChat', chat: 'c', turnId: 't' }, draft: message, turns: [] },
        {},
      ),
    ).toStrictEqual({
      origin: { kind: 'user' },
      draft: { ...message, attachments: [{ type: 'simple', label: 'Plan' }] },
      turns: [],
    });
  });
});
