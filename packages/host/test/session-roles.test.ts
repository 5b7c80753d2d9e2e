import { annotationsUri, CLIENT_REQUEST_METHODS, ROOT_URI, type SessionRole } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import type { TokenIdentity } from '../src/auth/access-tokens.ts';
import { CALLS } from './calls.ts';
import { ACTIONS, annotation, message } from './dispatches.ts';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import { codeOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';
import { openTerminal, TERMINAL } from './terminal-fixture.ts';

const SECRET = 'ahp-session:/secret';
const PERSON = 'Ada Lovelace';
const root = { channel: ROOT_URI } as const;
const DENIED = { code: -32009 };

interface World {
  readonly host: HostFixture;
  readonly owner: RawClient;
  readonly chat: string;
  readonly secretChat: string;
  identity(): TokenIdentity | undefined;
  /** A new connection of the person. */
  guest(clientId?: string): Promise<RawClient>;
  share(session: string, role?: SessionRole): Promise<void>;
}

/** A host with a session that may be shared with a person, and another one whose texts contain `secret`. */
async function world(scope: 'none' | 'observe' = 'none'): Promise<World> {
  const host = await startHost();
  const owner = await host.client('owner');
  const { chat } = await host.session(owner);
  const { chat: secretChat } = await host.session(owner, SECRET);
  await owner.act(SECRET, { type: 'session/titleChanged', title: 'secret title' });
  await openTerminal(host, owner, { claim: { kind: 'session', session: SESSION, chat } });
  await owner.act(annotationsUri(SESSION), { type: 'annotations/set', annotation });
  const { secret } = await owner.request('x-createToken', { ...root, person: PERSON, scope });
  await host.run();
  let count = 0;
  const identity = () => host.host.core.accessTokens.identify(secret);
  return {
    identity,
    host,
    owner,
    chat,
    secretChat,
    guest: (clientId) => host.client(clientId ?? `guest-${(count += 1)}`, {}, identity()),
    share: async (session, role) => {
      await owner.request('x-setSessionRole', { ...root, session, person: PERSON, ...(role && { role }) });
      await host.run();
    },
  };
}

const outcome = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    (result) => ({ result }),
    (error: unknown) => error,
  );

/** A call that names other channels in place of the fixture's. */
const about = (method: keyof typeof CALLS, names: Readonly<Record<string, string>>): object => {
  let text = JSON.stringify(CALLS[method][1]);
  for (const [from, to] of Object.entries(names)) text = text.replaceAll(`"${from}"`, `"${to}"`);
  return JSON.parse(text);
};

const hasSecret = (client: RawClient): boolean => JSON.stringify(client.frames).includes('secret');

/** Methods that every token may call. Their answers have only what the caller may see. */
const OWN = new Set([
  'ping',
  'subscribe',
  'listSessions',
  'x-searchSessions',
  'x-setPresence',
  'x-listPush',
  'x-updatePush',
  'x-revokePush',
]);
/** Methods that a role in any session is enough for. They say nothing about sessions. */
const SHARED = new Set(['x-pushKey', 'x-subscribePush', 'x-testPush']);
/** Methods that a role in the session is enough for, and the least role. */
const IN_SESSION: Readonly<Record<string, SessionRole>> = {
  fetchTurns: 'observe',
  'x-diskUse': 'observe',
  createChat: 'interact',
  disposeChat: 'interact',
  completions: 'interact',
  invokeChangesetOperation: 'interact',
  disposeSession: 'admin',
  'x-setSessionRole': 'admin',
};
/** Actions that the role `interact` is not enough for. */
const NOT_IN_SESSION = [
  'root/configChanged',
  'session/activeClientSet',
  'session/activeClientRemoved',
  'session/customizationToggled',
  'session/mcpServerStartRequested',
  'session/mcpServerStopRequested',
  'session/mcpServerBackgroundRequested',
  'session/workingDirectorySet',
  'session/workingDirectoryRemoved',
  'session/workingDirectoryReplaced',
  'chat/workingDirectorySet',
  'chat/workingDirectoryRemoved',
  'chat/toolCallComplete',
  'chat/toolCallContentChanged',
];

describe('a person without a scope on the host', () => {
  test('[AUTH-1] no method says anything about a session that is not shared, or changes it', async () => {
    const { host, guest, secretChat, share } = await world();
    await share(SESSION, 'admin');
    const client = await guest();
    for (const method of CLIENT_REQUEST_METHODS) {
      if (method === 'initialize' || method === 'reconnect') continue;
      const names = {
        [SESSION]: SECRET,
        'ahp-chat:/c': secretChat,
        'ahp-changeset:/x': annotationsUri(SECRET),
      };
      const { emittedSeq } = host.host.core.sync;
      client.clear();
      const answer = await outcome(client.raw(method, about(method, names)));
      if (method === 'listSessions')
        expect(answer).toMatchObject({ result: { items: [{ resource: SESSION }] } });
      else if (method === 'subscribe') expect(answer).toMatchObject({ code: -32001 });
      else if (
        !OWN.has(method) &&
        !SHARED.has(method) &&
        Object.hasOwn(host.host.core.features.commands, method)
      )
        expect([method, answer]).toMatchObject([method, DENIED]);
      // The refusal has the URI that was sent.
      if (method !== 'subscribe') expect([method, hasSecret(client)]).toEqual([method, false]);
      expect([method, host.host.core.sync.emittedSeq]).toEqual([method, emittedSeq]);
    }
  });

  test('[AUTH-1] a role allows the methods that stay within its session, and no other', async () => {
    const { host, guest, chat, share } = await world();
    for (const role of ['observe', 'interact', 'admin'] as const) {
      await share(SESSION, role);
      const client = await guest();
      for (const method of CLIENT_REQUEST_METHODS) {
        if (method === 'initialize' || method === 'reconnect' || OWN.has(method) || SHARED.has(method))
          continue;
        if (!Object.hasOwn(host.host.core.features.commands, method)) continue;
        const least = IN_SESSION[method];
        const isDenied =
          least === undefined ||
          ['observe', 'interact', 'admin'].indexOf(role) < ['observe', 'interact', 'admin'].indexOf(least);
        const names = { 'ahp-chat:/c': 'ahp-chat:/none', 'ahp-changeset:/x': chat };
        // It would remove what the other calls are about.
        if (!isDenied && (method === 'disposeSession' || method === 'x-setSessionRole')) continue;
        const answer = await outcome(
          client.raw(method, about(method, method === 'fetchTurns' ? { 'ahp-chat:/c': chat } : names)),
        );
        // A chat that does not exist belongs to no session.
        if (isDenied || method === 'disposeChat' || method === 'completions')
          expect([role, method, answer]).toMatchObject([role, method, DENIED]);
        else expect([role, method, answer]).not.toMatchObject([role, method, DENIED]);
      }
    }
    const admin = await guest();
    await admin.request('x-setSessionRole', { ...root, session: SESSION, person: 'Grace', role: 'observe' });
    expect(await admin.request('x-listSessionRoles', { ...root, session: SESSION })).toEqual({
      items: [
        { session: SESSION, person: PERSON, role: 'admin' },
        { session: SESSION, person: 'Grace', role: 'observe' },
      ],
    });
    await expect(admin.request('x-listSessionRoles', root)).rejects.toMatchObject(DENIED);
    await admin.request('disposeSession', { channel: SESSION });
  });

  test.each(['observe', 'interact'] as const)(
    '[AUTH-1] with the role %s, each action is allowed or refused as it should be, and none reaches another session',
    async (role) => {
      const { host, guest, chat, secretChat, share } = await world();
      await share(SESSION, role);
      const client = await guest('ME');
      const channels = (session: string, of: string) => ({
        root: ROOT_URI,
        session,
        chat: of,
        terminal: TERMINAL,
        annotations: annotationsUri(session),
      });
      for (const [type, [, kind, fields]] of Object.entries(ACTIONS)) {
        const { emittedSeq } = host.host.core.sync;
        client.clear();
        await client.act(channels(SECRET, secretChat)[kind], { type, ...fields });
        // As for a channel that does not exist.
        if (kind !== 'root') expect([type, client.envelopes()]).toEqual([type, []]);
        expect([type, host.host.core.sync.emittedSeq === emittedSeq || kind === 'root']).toEqual([
          type,
          true,
        ]);
        const echo = await client.act(channels(SESSION, chat)[kind], { type, ...fields });
        if (kind === 'terminal') expect([type, echo]).toEqual([type, undefined]);
        else
          expect([type, codeOf(echo) === 'permissionDenied']).toEqual([
            type,
            role === 'observe' || NOT_IN_SESSION.includes(type),
          ]);
      }
      const all = { type: 'session/configChanged', config: { approvals: 'all' } } as const;
      expect(codeOf(await client.act(SESSION, all))).toBe('permissionDenied');
      await share(SESSION, 'admin');
      expect(await client.act(SESSION, all)).not.toHaveProperty('rejectionReason');
    },
  );

  test('[ROOT-3] lists, notifications, presence and the root channel show only what was shared', async () => {
    const { owner, host, guest, identity, chat, secretChat, share } = await world();
    await share(SESSION, 'interact');
    const client = await guest();
    expect((await client.subscribe(ROOT_URI)).state).toEqual({
      agents: [expect.objectContaining({ provider: 'puppet' })],
    });
    await client.subscribe(chat);
    await client.request('x-setPresence', { ...root, isVisible: true, showing: [chat] });
    await owner.request('x-setPresence', {
      ...root,
      isVisible: true,
      showing: [SESSION, SECRET],
      typing: { chat: secretChat },
    });
    await owner.act(secretChat, turnStarted('t1', 'secret prompt'));
    void host.agent.turn.output.markdown('secret answer');
    await owner.act(ROOT_URI, { type: 'root/configChanged', config: { maxTerminals: 7 } });
    await host.session(owner, 'ahp-session:/secret-too');
    await owner.act(SESSION, { type: 'session/titleChanged', title: 'Shared' });
    await host.advance(2_000);
    expect(await client.request('x-searchSessions', { ...root, query: 'secret' })).toMatchObject({
      items: [],
    });
    expect(hasSecret(client)).toBe(false);
    expect(JSON.stringify(client.frames)).not.toContain('maxTerminals');
    expect(client.notifications('root/sessionSummaryChanged')).toMatchObject([{ session: SESSION }]);
    expect(client.notifications('x-presenceChanged').at(-1)).toMatchObject({
      clients: expect.arrayContaining([expect.objectContaining({ clientId: 'owner', showing: [SESSION] })]),
    });
    const other = host.connect('other', identity());
    expect(await other.initialize()).toMatchObject({
      'x-scope': 'none',
      'x-person': PERSON,
      'x-roles': { [SESSION]: 'interact' },
    });
    expect(JSON.stringify(other.frames)).not.toContain('defaultDirectory');
  });

  test('[AUTH-1] a role that ends counts at once on open connections, and one that begins too', async () => {
    const { host, owner, guest, chat, share } = await world();
    const client = await guest();
    await client.subscribe(ROOT_URI);
    expect(await client.request('listSessions', root)).toMatchObject({ items: [] });
    await share(SESSION, 'interact');
    expect(client.notifications('x-rolesChanged')).toMatchObject([{ roles: { [SESSION]: 'interact' } }]);
    expect(client.notifications('root/sessionAdded')).toMatchObject([{ summary: { resource: SESSION } }]);
    await client.subscribe(chat);
    expect(await client.act(chat, turnStarted('t1'))).toMatchObject({
      action: { 'x-by': { person: PERSON } },
    });
    await share(SESSION);
    client.clear();
    void host.agent.turn.output.markdown('not for Ada');
    await owner.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 1 });
    await host.run();
    expect(await client.act(chat, turnStarted('t2'))).toBeUndefined();
    expect(client.envelopes()).toEqual([]);
    await expect(client.subscribe(chat)).rejects.toMatchObject({ code: -32008 });

    // A later session with the same URI is another one.
    await share(SESSION, 'admin');
    await owner.request('disposeSession', { channel: SESSION });
    await host.run();
    expect(client.notifications('root/sessionRemoved')).toMatchObject([{ session: SESSION }]);
    await host.session(owner, SESSION);
    await expect(client.subscribe(SESSION)).rejects.toMatchObject({ code: -32001 });
    expect(await owner.request('x-listSessionRoles', root)).toEqual({ items: [] });
  });

  test('[CONN-5] a reconnect replays nothing of a session that is no longer shared', async () => {
    const { host, owner, guest, identity, chat, secretChat, share } = await world();
    await share(SESSION, 'observe');
    await share(SECRET, 'observe');
    const client = await guest('back');
    for (const uri of [ROOT_URI, SESSION, chat, SECRET, secretChat]) await client.subscribe(uri);
    await owner.act(SESSION, { type: 'session/titleChanged', title: 'before' });
    await host.run();
    const seen = client.envelopes().at(-1)?.serverSeq ?? 0;
    client.link.cut();
    await host.run();
    await share(SECRET);
    await owner.act(secretChat, turnStarted('t1', 'a secret'));
    await owner.act(ROOT_URI, { type: 'root/configChanged', config: { maxTerminals: 7 } });
    await owner.act(SESSION, { type: 'session/titleChanged', title: 'after' });
    await host.run();
    const back = host.connect('back', identity());
    const result = await back.reconnect(seen, [ROOT_URI, SESSION, chat, SECRET, secretChat]);
    expect(result).toMatchObject({
      type: 'replay',
      actions: [{ channel: SESSION, action: { title: 'after' } }],
      missing: [SECRET, secretChat],
    });
    expect(JSON.stringify(result)).not.toContain('a secret');
    expect(back.notifications('x-rolesChanged')).toMatchObject([{ roles: { [SESSION]: 'observe' } }]);
    // The same with snapshots.
    back.link.cut();
    await host.run();
    const late = host.connect('back', identity());
    const { snapshots } = Object(await late.reconnect(1, [ROOT_URI, SESSION, SECRET, secretChat]));
    expect(snapshots.map(({ resource }: { resource: string }) => resource)).toEqual([ROOT_URI, SESSION]);
    expect(JSON.stringify(late.frames)).not.toContain('maxTerminals');
    expect(await owner.request('x-listSessionRoles', root)).toMatchObject({ items: [{ session: SESSION }] });
  });
});

describe('a person who may only look at the host', () => {
  test('[AUTH-1] works in a session with a role there, without files, commands and lasting approvals', async () => {
    const { host, owner, guest, chat, secretChat, share } = await world('observe');
    const client = await guest();
    expect(codeOf(await client.act(chat, turnStarted('t1')))).toBe('permissionDenied');
    await share(SESSION, 'interact');
    const file = { type: 'resource', label: 'x', uri: 'file:///etc/passwd' } as const;
    const other = { type: 'chat', label: 'x', resource: secretChat } as const;
    for (const attachment of [file, other]) {
      const action = { ...turnStarted('t1'), message: { ...message, attachments: [attachment] } };
      expect(codeOf(await client.act(chat, action))).toBe('permissionDenied');
      const draft = { type: 'chat/draftChanged', draft: action.message } as const;
      expect(codeOf(await client.act(chat, draft))).toBe('permissionDenied');
    }
    expect(codeOf(await client.act(chat, turnStarted('t1', '!ls')))).toBe('permissionDenied');
    const initialMessage = { ...message, attachments: [other] };
    await expect(
      client.request('createChat', { channel: SESSION, chat: 'ahp-chat:/new', initialMessage }),
    ).rejects.toMatchObject(DENIED);
    expect(codeOf(await client.act(secretChat, turnStarted('t1')))).toBe('permissionDenied');
    expect(await client.act(chat, turnStarted('t1'))).not.toHaveProperty('rejectionReason');
    await host.run();
    const call = host.agent.turn.output.toolCall({ toolCallId: 'c', toolName: 'x', displayName: 'X' });
    void call.confirm({ invocationMessage: 'May it?', toolInput: '{}' });
    await host.run();
    const yes = {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: 'c',
      approved: true,
      confirmed: 'user-action',
    } as const;
    const lasting = await client.act(chat, { ...yes, selectedOptionId: 'always-session' });
    expect(codeOf(lasting)).toBe('permissionDenied');
    expect(await client.act(chat, { ...yes, selectedOptionId: 'allow' })).not.toHaveProperty(
      'rejectionReason',
    );
    // It still sees everything.
    await client.subscribe(secretChat);
    await owner.act(secretChat, turnStarted('t9', 'seen'));
    await host.run();
    expect(JSON.stringify(client.envelopes(secretChat))).toContain('seen');
  });
});
