import type { TerminalClaim } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';
import {
  inSession,
  openTerminal,
  ownClaim,
  rejection,
  TERMINAL,
  terminalList,
  terminalState,
} from './terminal-fixture.ts';

const claim = (client: RawClient, next: TerminalClaim): Promise<string | undefined> =>
  rejection(client, { type: 'terminal/claimed', claim: next });

async function two(options = {}): Promise<{ host: HostFixture; desk: RawClient; phone: RawClient }> {
  const host = await startHost(options);
  const desk = await host.client('desk');
  const phone = await host.client('phone');
  await host.session(desk);
  return { host, desk, phone };
}

describe('a claim', () => {
  it('[TERM-5] of a session goes to the first client that claims it, and the second client gets a reason', async () => {
    const { host, desk, phone } = await two();
    await openTerminal(host, desk, { claim: inSession });
    const [first, second] = [desk, phone].map((client) =>
      client.dispatch(TERMINAL, { type: 'terminal/claimed', claim: ownClaim(client) }),
    );
    await host.run();
    expect(desk.echoOf(first ?? 0)?.rejectionReason).toBeUndefined();
    expect(phone.echoOf(second ?? 0)?.rejectionReason).toMatch(/^alreadyClaimed: /);
    expect((await terminalState(phone)).claim).toEqual(ownClaim(desk));
    expect((await terminalList(phone))[0]?.claim).toEqual(ownClaim(desk));
  });

  it('[TERM-5] of a disconnected client can be taken after the grace period, and no sooner', async () => {
    const { host, desk, phone } = await two();
    await openTerminal(host, desk);
    await host.advance(60_000);
    expect(await claim(phone, ownClaim(phone))).toBe('alreadyClaimed');
    desk.link.cut();
    await host.advance(30_000);
    expect(await claim(phone, ownClaim(phone))).toBe('alreadyClaimed');
    await host.advance(1);
    expect(await claim(phone, ownClaim(phone))).toBeUndefined();
  });

  it('[TERM-5] [CONN-8] of a client that has not come back since the host started lasts a grace period from the start', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client('desk');
    await openTerminal(host, desk);
    await host.restart();
    const phone = await host.client('phone');
    expect(await claim(phone, ownClaim(phone))).toBe('alreadyClaimed');
    await host.advance(30_001);
    expect(await claim(phone, ownClaim(phone))).toBeUndefined();
  });

  it('[TERM-5] is handed over by its holder to any client or session', async () => {
    const { host, desk, phone } = await two();
    await openTerminal(host, desk);
    expect(await claim(desk, ownClaim(phone))).toBeUndefined();
    expect(await claim(desk, ownClaim(desk))).toBe('alreadyClaimed');
    expect(await claim(phone, inSession)).toBeUndefined();
    expect((await terminalState(desk)).claim).toEqual(inSession);
  });

  it('[TERM-5] goes to no unknown session, and is given to others only by its holder', async () => {
    const { host, desk, phone } = await two();
    await openTerminal(host, desk);
    expect(await claim(desk, { ...inSession, session: 'ahp-session:/none' })).toBe('unknownSession');
    expect(await claim(phone, inSession)).toBe('notYours');
    expect(await claim(phone, { kind: 'client', clientId: 'tablet' })).toBe('notYours');
    await claim(desk, inSession);
    expect(await claim(phone, { kind: 'client', clientId: 'tablet' })).toBe('notYours');
    const other = await host.session(desk, 'ahp-session:/two');
    expect(await claim(phone, { kind: 'session', ...other })).toBe('notYours');
  });

  it('[TERM-5] of a turn can be changed by any client to one of its session alone, and to nothing else', async () => {
    const { host, desk, phone } = await two();
    const { chat } = await host.session(desk, 'ahp-session:/working');
    await desk.act(chat, turnStarted('a'));
    await host.run();
    const working = { kind: 'session' as const, session: 'ahp-session:/working', chat };
    await openTerminal(host, desk, { claim: { ...working, turnId: 'a' } });
    expect(await claim(phone, { ...working, turnId: 'b' })).toBe('notYours');
    expect(await claim(phone, inSession)).toBe('notYours');
    expect((await terminalState(desk)).claim).toEqual({ ...working, turnId: 'a' });
    expect(await claim(phone, working)).toBeUndefined();
    expect((await terminalState(desk)).claim).toEqual(working);
    expect((await terminalList(desk))[0]?.claim).toEqual(working);
  });

  it('[TERM-5] for a turn that is not open becomes one of the session in the background', async () => {
    const { host, desk } = await two();
    await openTerminal(host, desk);
    expect(await claim(desk, { ...inSession, turnId: 'gone', toolCallId: 'x' })).toBeUndefined();
    expect((await terminalState(desk)).claim).toEqual(inSession);
  });
});

describe('the chat of a claim', () => {
  it('[TERM-21] is one of the session that the claim names', async () => {
    const { host, desk } = await two();
    await openTerminal(host, desk);
    const { chat } = await host.session(desk, 'ahp-session:/other');
    expect(await claim(desk, { ...inSession, chat })).toBe('unknownChat');
    const without = { type: 'terminal/claimed', claim: { kind: 'session', session: inSession.session } };
    expect(await rejection(desk, without)).toBe('invalidAction');
    expect((await terminalState(desk)).claim).toEqual(ownClaim(desk));
    const create = { channel: 'ahp-terminal:/new', claim: { ...inSession, chat } };
    await expect(desk.request('createTerminal', create)).rejects.toMatchObject({ code: -32008 });
    expect(await claim(desk, inSession)).toBeUndefined();
  });

  it('[TERM-21] [DIA-2] is found for clients of versions without it', async () => {
    const { host, desk } = await two();
    const old = await host.client('old', { protocolVersions: ['0.8.0'] });
    const session = { kind: 'session', session: inSession.session };
    const create = async (claim: object): Promise<void> => {
      const id = old.ask('createTerminal', { channel: TERMINAL, claim });
      await expect
        .poll(async () => {
          await host.run();
          return old.answerTo(id)?.result;
        })
        .toBe(null);
    };
    await create({ ...session });
    expect((await terminalState(desk)).claim).toEqual(inSession);
    expect((await terminalState(old)).claim).toEqual(session);
    await claim(desk, ownClaim(desk));
    await desk.request('createChat', { channel: inSession.session, chat: 'ahp-chat:/two' });
    await desk.act('ahp-chat:/two', turnStarted('a'));
    host.agent.turn.output.toolCall({ toolCallId: 'x', toolName: 'make', displayName: 'Make' });
    await host.run();
    await desk.request('disposeTerminal', { channel: TERMINAL });
    await create({ ...session, turnId: 'a', toolCallId: 'x' });
    expect((await terminalState(desk)).claim).toMatchObject({ chat: 'ahp-chat:/two', toolCallId: 'x' });
  });
});

describe('permission', () => {
  it('[TERM-5] to type, resize and clear belongs to the holder, and to any client while a session holds the terminal', async () => {
    const { host, desk, phone } = await two();
    await openTerminal(host, desk);
    const deeds = [
      { type: 'terminal/input', data: 'x' },
      { type: 'terminal/resized', cols: 90, rows: 20 },
      { type: 'terminal/cleared' },
    ];
    for (const deed of deeds) {
      expect(await rejection(desk, deed)).toBeUndefined();
      expect(await rejection(phone, deed)).toBe('notYours');
    }
    await claim(desk, inSession);
    for (const deed of deeds) expect(await rejection(phone, deed)).toBeUndefined();
    expect(host.ptys.last.keys).toBe('xx');
    expect(host.ptys.last.sizes).toEqual([
      [90, 20],
      [90, 20],
    ]);
  });

  it('[TERM-5] to set a valid title belongs to any client', async () => {
    const { host, desk, phone } = await two();
    await openTerminal(host, desk);
    const title = (text: string): Promise<string | undefined> =>
      rejection(phone, { type: 'terminal/titleChanged', title: text });
    expect(await title('build')).toBeUndefined();
    expect(await title(' ')).toBe('invalidTitle');
    expect(await title('t'.repeat(513))).toBe('tooLarge');
    expect((await terminalState(desk)).title).toBe('build');
  });

  it('[ACT-3] to report output of a program, or its end, belongs to the host only', async () => {
    const { host, desk } = await two();
    await openTerminal(host, desk);
    expect(await rejection(desk, { type: 'terminal/data', data: 'fake' })).toBe('notDispatchable');
    expect(await rejection(desk, { type: 'terminal/exited', exitCode: 0 })).toBe('notDispatchable');
  });
});

describe('a read-only client', () => {
  const observer = { tokenHash: 'of an observer', scope: 'observe' } as const;

  it('[AUTH-1] [TERM-5] does not get an id that received a terminal: the id belongs to the token that named it', async () => {
    const { host, desk } = await two({ outlivesHost: true });
    await openTerminal(host, desk);
    const nobody: TerminalClaim = { kind: 'client', clientId: 'nobody' };
    expect(await claim(desk, nobody)).toBeUndefined();
    await expect(host.client('nobody', {}, observer)).rejects.toMatchObject({ code: -32009 });
    await host.restart();
    await expect(host.client('nobody', {}, observer)).rejects.toMatchObject({ code: -32009 });
    // A client with that token gets the terminal, and hands it on.
    const holder = await host.client('nobody');
    await holder.subscribe(TERMINAL);
    expect(await claim(holder, { kind: 'client', clientId: 'desk' })).toBeUndefined();
  });

  it('[AUTH-1] [TERM-5] a client keeps its id and its token when another client hands it a terminal', async () => {
    const { host, desk } = await two();
    await openTerminal(host, desk);
    const other = { tokenHash: 'of another', scope: 'interact' } as const;
    (await host.client('tablet', {}, other)).link.cut();
    await host.run();
    expect(await claim(desk, { kind: 'client', clientId: 'tablet' })).toBeUndefined();
    await host.client('tablet', {}, other);
    await expect(host.client('tablet')).rejects.toMatchObject({ code: -32009 });
  });

  it('[AUTH-1] [TERM-5] holds no terminal after it takes over the id of a client that held one', async () => {
    const host = await startHost();
    const owner = await host.client('owner');
    const { token, secret } = await owner.request('x-createToken', { channel: ROOT, scope: 'interact' });
    const identity = host.host.core.accessTokens.identify(secret);
    const desk = await host.client('desk', {}, identity);
    await openTerminal(host, desk);
    await host.session(desk);
    await owner.subscribe(TERMINAL);
    await owner.request('x-revokeToken', { channel: ROOT, id: token.id });
    await host.client('desk', {}, observer);
    await host.advance(30_001);
    expect(await claim(owner, ownClaim(owner))).toBeUndefined();
  });
});
