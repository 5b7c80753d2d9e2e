import { hasExited, type TerminalClaim } from '@agenthost/protocol';
import { SeededRandom } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { Emulator } from '../src/terminals/scrollback/emulator.ts';
import { CLEAR } from '../src/terminals/scrollback/scrollback.ts';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';
import {
  inSession,
  openTerminal,
  outputOf,
  ownClaim,
  TERMINAL,
  terminalList,
  terminalState,
} from './terminal-fixture.ts';

describe('a session and its terminals', () => {
  it('[SESS-3] [TERM-6] disposes of those that it still holds, after its turns and before its chats', async () => {
    const host = await startHost();
    const desk = await host.client();
    const { session, chat } = await host.session(desk);
    await desk.subscribe(ROOT);
    await openTerminal(host, desk, { claim: inSession });
    await desk.request('createTerminal', { channel: 'ahp-terminal:/mine', claim: ownClaim(desk) });
    await desk.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 'a',
      message: { text: 'go', origin: { kind: 'user' } },
    });
    desk.clear();
    await desk.request('disposeSession', { channel: session });
    await host.run();
    const types = desk.types();
    expect(types.indexOf('chat/turnCancelled')).toBeGreaterThanOrEqual(0);
    expect(types.indexOf('root/terminalsChanged')).toBeGreaterThan(types.indexOf('chat/turnCancelled'));
    expect(types.indexOf('session/chatRemoved')).toBeGreaterThan(types.indexOf('root/terminalsChanged'));
    expect((await terminalList(desk)).map(({ resource }) => resource)).toEqual(['ahp-terminal:/mine']);
    expect(host.ptys.ptys.map(({ hasEnded }) => hasEnded)).toEqual([true, false]);
    await expect(desk.subscribe(TERMINAL)).rejects.toMatchObject({ code: -32008 });
  });

  it('[TERM-6] disposes also of one that has ended and was unloaded', async () => {
    const host = await startHost();
    const desk = await host.client();
    const { session } = await host.session(desk);
    await desk.request('createTerminal', { channel: TERMINAL, claim: inSession });
    host.ptys.last.end(0);
    await host.advance(200_000);
    expect(host.host.core.sync.registry.get(TERMINAL)).toBeUndefined();
    await desk.request('disposeSession', { channel: session });
    await expect(desk.subscribe(TERMINAL)).rejects.toMatchObject({ code: -32008 });
    expect(await terminalList(desk)).toEqual([]);
  });

  it('[TERM-5] goes to the background when the turn or the tool call that uses it ends', async () => {
    const host = await startHost();
    const desk = await host.client();
    const { chat } = await host.session(desk);
    const start = (turnId: string): Promise<unknown> =>
      desk.act(chat, {
        type: 'chat/turnStarted',
        startedAt: '2026-06-01T00:00:00.000Z',
        turnId,
        message: { text: 'go', origin: { kind: 'user' } },
      });
    await start('a');
    await host.run();
    const call = host.agent.turn.output.toolCall({ toolName: 'sh', displayName: 'Shell' });
    call.run({ invocationMessage: 'make' });
    await host.run();
    const used = { ...inSession, turnId: 'a', toolCallId: call.id };
    await openTerminal(host, desk, { claim: used });
    expect((await terminalState(desk)).claim).toEqual(used);
    void call.complete({ success: true, pastTenseMessage: 'made' });
    await host.run();
    expect((await terminalState(desk)).claim).toEqual(inSession);

    await desk.request('createTerminal', {
      channel: 'ahp-terminal:/second',
      claim: { ...inSession, turnId: 'a' },
    });
    host.agent.turn.complete();
    await host.run();
    expect((await terminalList(desk)).map((each) => each.claim)).toEqual([inSession, inSession]);
  });
});

describe('a host that was killed', () => {
  it('[CONN-8] continues the surviving terminals at the right byte', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client('desk');
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('one ');
    await host.advance(10);
    // Read by the host, but neither emitted nor acknowledged at the kill; cut inside a character.
    last.output('two ');
    last.output(Buffer.from('tä').subarray(0, 2));
    host.kill();
    last.output(Buffer.from('tä').subarray(2));
    last.output('il');
    await host.start();
    const again = await host.client('desk');
    expect(outputOf(await terminalState(again))).toBe('one two täil');
    await again.act(TERMINAL, { type: 'terminal/input', data: 'x' });
    expect(last.keys).toBe('x');
    last.end(4);
    await host.run();
    expect(await terminalState(again)).toMatchObject({ lifecycle: { status: 'exited', exitCode: 4 } });
    expect(outputOf(await terminalState(again))).toBe('one two täil');
  });

  it('[CONN-8] duplicates and loses nothing, wherever it was killed, and its clients get a replay', async () => {
    const host = await startHost({ outlivesHost: true });
    let desk = await host.client('desk', { 'x-epoch': 'e' });
    await openTerminal(host, desk);
    const { last } = host.ptys;
    let expected = '';
    let seen = '';
    for (let round = 0; round < 8; round += 1) {
      for (let line = 0; line < 5; line += 1) {
        const text = `${round}.${line} 日本\r\n`;
        expected += text;
        last.output(text);
        // A kill after any number of its steps.
        for (let step = 0; step < (round * 7 + line) % 6; step += 1) host.clock.runImmediates();
        if (line === 2) await host.advance(round);
      }
      seen += received(desk);
      const lastSeen = desk.envelopes().at(-1)?.serverSeq ?? 0;
      await host.restart();
      const next = host.connect('desk');
      const result = await next.reconnect(lastSeen, [TERMINAL], { 'x-epoch': 'e' });
      if (lastSeen > 0 && result.type === 'replay')
        seen += result.actions
          .map(({ action }) => (action.type === 'terminal/data' ? action.data : ''))
          .join('');
      else seen = outputOf(await terminalState(next));
      desk = next;
    }
    await host.advance(20);
    seen += received(desk);
    expect(outputOf(await terminalState(desk))).toBe(expected);
    expect(seen).toBe(expected);
  });

  it('[CONN-8] [TERM-1] shows the last title of its program, even if the throttle still held it', async () => {
    const host = await startHost({ outlivesHost: true });
    await openTerminal(host, await host.client('desk'));
    const { last } = host.ptys;
    for (const title of ['first', 'last']) {
      last.output(`\x1b]0;${title}\x07`);
      await host.advance(10);
    }
    expect(last.acknowledged).toBe('\x1b]0;first\x07\x1b]0;last\x07'.length);
    await host.restart();
    expect((await terminalState(await host.client('desk'))).title).toBe('last');
  });

  it('[CONN-8] [TERM-1] shows that title also for a terminal that ends with the host', async () => {
    const host = await startHost();
    await openTerminal(host, await host.client('desk'));
    for (const title of ['first', 'last']) {
      host.ptys.last.output(`\x1b]0;${title}\x07`);
      await host.advance(10);
    }
    await host.restart();
    expect(await terminalState(await host.client('desk'))).toMatchObject({
      title: 'last',
      lifecycle: { status: 'exited', exitCode: 129 },
    });
  });

  it('[CONN-8] takes no journaled byte twice that was not acknowledged', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client('desk');
    await openTerminal(host, desk);
    const { last } = host.ptys;
    host.journal.gates.afterCommit = () => new Promise(() => undefined);
    last.output(Buffer.from('durable ä').subarray(0, 9));
    await host.run();
    expect(last.acknowledged).toBe(0);
    last.output(Buffer.from('durable ä').subarray(9));
    await host.restart();
    expect(outputOf(await terminalState(await host.client('desk')))).toBe('durable ä');
    expect(last.acknowledged).toBe(10);
  });

  it('[CONN-8] [TERM-6] ends visibly the terminals that were lost with it', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    host.ptys.last.output('last words');
    await host.run();
    await host.restart();
    const again = await host.client();
    expect(await terminalState(again)).toMatchObject({
      lifecycle: { status: 'exited', exitCode: 129 },
      content: [{ value: 'last words' }],
    });
    expect((await terminalList(again))[0]).toMatchObject({ lifecycle: { status: 'exited', exitCode: 129 } });
    await host.restart();
    expect(host.logged).toEqual([]);
  });

  it('[CONN-8] ends ptys that no terminal shows', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client();
    // A kill between the spawn and the commit of the channel.
    host.journal.gates.beforeCommit = () => new Promise(() => undefined);
    desk.ask('createTerminal', { channel: TERMINAL, claim: ownClaim(desk) });
    await host.run();
    expect(host.ptys.last.hasEnded).toBe(false);
    await host.restart();
    await host.run();
    expect(host.ptys.last.hasEnded).toBe(true);
    expect(await terminalList(await host.client())).toEqual([]);
  });

  it('[CONN-8] [TERM-5] ends the turn that used a terminal, which goes to the background', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client();
    const { chat } = await host.session(desk);
    await desk.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 'a',
      message: { text: 'go', origin: { kind: 'user' } },
    });
    await openTerminal(host, desk, { claim: { ...inSession, turnId: 'a' } });
    expect((await terminalState(desk)).claim).toMatchObject({ turnId: 'a' });
    await host.restart();
    const again = await host.client();
    expect(await terminalState(again)).toMatchObject({ claim: inSession });
    expect(hasExited(await terminalState(again))).toBe(false);
  });
});

describe('a host that stops', () => {
  it('[CONN-8] shows the end of terminals that it ends before the connection closes', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    host.ptys.last.output('a');
    await host.run();
    host.ptys.last.output('b');
    const { last } = host.ptys;
    await host.stop();
    expect(desk.types(TERMINAL)).toEqual(['terminal/data', 'terminal/data', 'terminal/exited']);
    expect(last.hasEnded).toBe(true);
  });

  it('[CONN-8] keeps terminals that outlive it, and continues them', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('a');
    await host.run();
    last.output('b');
    await host.stop();
    expect(last.hasEnded).toBe(false);
    expect(last.acknowledged).toBe(2);
    last.output('c');
    await host.start();
    expect(outputOf(await terminalState(await host.client()))).toBe('abc');
  });
});

describe('a journal that cannot be written', () => {
  it('[TERM-2] holds output, acknowledges none, and sends it in order afterwards', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    host.journal.failNextCommits(2);
    last.output('a');
    await host.run();
    last.output('b');
    await host.advance(20);
    expect(desk.types(TERMINAL)).toEqual([]);
    expect(last.acknowledged).toBe(0);
    await host.advance(3_000);
    expect(outputOf(await terminalState(desk))).toBe('ab');
    expect(received(desk)).toBe('ab');
    expect(last.acknowledged).toBe(2);
  });

  it('[TERM-1] keeps a terminal that could not be removed', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    host.journal.failNextCommits(1);
    const asked = desk.ask('disposeTerminal', { channel: TERMINAL });
    await host.run();
    expect(desk.answerTo(asked)?.error?.code).toBe(-32603);
    expect(host.ptys.last.killCount).toBe(0);
    await host.advance(1_000);
    host.ptys.last.output('alive');
    await host.advance(10);
    expect(outputOf(await terminalState(desk))).toBe('alive');
  });
});

describe('a viewer that reads slowly', () => {
  const MEGABYTE = 1024 * 1024;

  it('[TERM-2] slows the terminals of its person, and keeps its connection, as long as it reads', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('x'.repeat(20 * MEGABYTE));
    for (let second = 0; second < 10; second += 1) {
      await host.clock.advance(1_000);
      expect(desk.link.toClient.waitingBytes).toBeLessThan(5 * MEGABYTE);
      desk.link.toClient.deliver(10);
    }
    expect(last.delivered).toBeLessThan(15 * MEGABYTE);
    for (let round = 0; round < 40; round += 1) await host.advance(100);
    expect(desk.closed).toBeUndefined();
    expect(received(desk).length).toBe(20 * MEGABYTE);
  });

  it('[TERM-2] does not slow a terminal when it reads nothing, and never slows one of an agent', async () => {
    for (const claim of [undefined, inSession]) {
      const host = await startHost();
      const desk = await host.client();
      await host.session(desk);
      await openTerminal(host, desk, claim === undefined ? {} : { claim });
      host.ptys.last.output('x'.repeat(20 * MEGABYTE));
      await host.clock.advance(claim === undefined ? 4_000 : 1_000);
      expect(host.ptys.last.delivered).toBe(20 * MEGABYTE);
    }
  });

  it('[TERM-3] has invisible sequences acknowledged too', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('\x1b]133;A\x07'.repeat(400_000));
    await host.advance(100);
    expect(last.delivered).toBe(3_200_000);
    expect(desk.types(TERMINAL)).toEqual([]);
  });
});

describe('a terminal without a first viewer', () => {
  const output = Array.from({ length: 1_000_000 }, (_, index) => `${index}\r\n`).join('');

  /** A new terminal without a subscriber. */
  async function unseen(claim?: TerminalClaim): Promise<{ host: HostFixture; desk: RawClient }> {
    const host = await startHost();
    const desk = await host.client();
    await host.session(desk);
    const made = desk.ask('createTerminal', { channel: TERMINAL, claim: claim ?? ownClaim(desk) });
    await expect.poll(async () => host.run().then(() => desk.answerTo(made))).toBeDefined();
    host.ptys.last.output(output);
    return { host, desk };
  }

  it('[TERM-2] holds its first output until its creator can subscribe', async () => {
    const { host, desk } = await unseen();
    await host.clock.advance(4_000);
    expect(host.ptys.last.delivered).toBeLessThanOrEqual(1024 * 1024);
    const before = outputOf(await terminalState(desk));
    for (let round = 0; round < 40; round += 1) await host.advance(100);
    expect(before + received(desk) === output).toBe(true);
  });

  it('[TERM-2] continues when no viewer comes, and does not wait when an agent runs it', async () => {
    const { host } = await unseen();
    await host.clock.advance(7_000);
    expect(host.ptys.last.delivered).toBe(output.length);
    const { host: busy } = await unseen(inSession);
    await busy.clock.advance(1_000);
    expect(busy.ptys.last.delivered).toBe(output.length);
  });
});

describe('a late viewer', () => {
  it('[TERM-4] sees the same cells as an early one, over trims, clears and restarts', async () => {
    const host = await startHost({ outlivesHost: true, terminals: { scrollbackLength: 2_000 } });
    const desk = await host.client('desk');
    await openTerminal(host, desk);
    const random = new SeededRandom(7);
    let all = '';
    let shortest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 60; round += 1) {
      const text = Array.from({ length: 1_500 }, () => scribble(random)).join('');
      all += text;
      host.ptys.last.output(text);
      await host.advance(9);
      if (round % 20 === 9) {
        await (await host.client('desk')).act(TERMINAL, { type: 'terminal/cleared' });
        all += CLEAR;
        await host.advance(9);
      }
      if (round % 15 === 14) await host.restart();
      if (round % 6 !== 5) continue;
      const late = outputOf(await terminalState(await host.client(`late-${round}`)));
      expect(await cells(late)).toEqual(await cells(all));
      if (all.length > 500_000) shortest = Math.min(shortest, late.length);
    }
    // Short because it was folded, not only trimmed.
    expect(shortest).toBeLessThan(200_000);
  });
});

/** A little random output of programs. */
function scribble(random: SeededRandom): string {
  const word = `w${random.int(10_000)} `;
  switch (random.int(8)) {
    case 0:
      return `\x1b[${random.int(24) + 1};${random.int(80) + 1}H${word}`;
    case 1:
      return `\x1b[3${random.int(8)}m${word}`;
    case 2:
      return '日本';
    case 3:
      return `\x1b[${random.int(3)}K${word}`;
    default:
      return `${word}${word}\r\n`;
  }
}

/** The cells of an 80×24 terminal after some output. */
async function cells(output: string): Promise<string[]> {
  const emulator = await Emulator.open({ cols: 80, rows: 24 }, 1_000);
  await emulator.feed(output);
  const { active } = emulator.terminal.buffer;
  const lines = Array.from(
    { length: 24 },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  );
  const cursor = `${active.cursorX},${active.cursorY}`;
  emulator.dispose();
  return [cursor, ...lines];
}

const received = (client: {
  envelopes(uri: string): { action: { type: string; data?: string } }[];
}): string =>
  client
    .envelopes(TERMINAL)
    .map(({ action }) => (action.type === 'terminal/data' ? (action.data ?? '') : ''))
    .join('');
