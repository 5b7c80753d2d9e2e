import { hasExited } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import {
  exitCodeOf,
  openTerminal,
  outputOf,
  ownClaim,
  rejection,
  TERMINAL,
  terminalList,
  terminalState,
} from './terminal-fixture.ts';

const uriOf = (index: number): string => `ahp-terminal:/t${index}`;

/** URIs of the terminals whose channels are in memory. */
const loaded = ({ host }: HostFixture): string[] =>
  Array.from(host.core.sync.registry.ofKind('terminal'), ({ uri }) => uri);

/** Code units of output that terminals hold in memory. */
const loadedLength = (host: HostFixture): number =>
  loaded(host).reduce((sum, uri) => {
    const channel = host.host.core.sync.registry.getOf('terminal', uri);
    return sum + (channel === undefined ? 0 : outputOf(channel.state).length);
  }, 0);

/** Terminals of a client without subscriptions to them, each with a unique word. */
async function makeTerminals(host: HostFixture, count: number): Promise<void> {
  const desk = await host.client('desk');
  for (let index = 0; index < count; index += 1) {
    await desk.request('createTerminal', { channel: uriOf(index), claim: ownClaim(desk) });
    host.ptys.last.output(`first ${index}\r\n`);
  }
  await host.advance(6_000);
}

describe('a host that starts with many terminals', () => {
  it('[CONN-8] loads none of them, lists all, and gives each its output of the meantime, with its exit', async () => {
    const host = await startHost({ outlivesHost: true });
    await makeTerminals(host, 30);
    host.kill();
    for (const [index, pty] of host.ptys.ptys.entries()) {
      if (index % 3 > 0) pty.output(`second ${index}`);
      if (index % 3 === 2) pty.end(index);
    }
    await host.start();
    expect(loaded(host)).toEqual([]);
    const desk = await host.client('desk');
    expect((await terminalList(desk)).map(({ resource }) => resource)).toEqual(
      Array.from({ length: 30 }, (_, index) => uriOf(index)),
    );
    await host.advance(5_000);
    const exits: (number | undefined)[] = (await terminalList(desk)).map(exitCodeOf);
    expect(exits).toEqual(exits.map((_, index) => (index % 3 === 2 ? index : undefined)));
    // Neither silent terminals nor those that were loaded for their end are in memory.
    expect(loaded(host).toSorted()).toEqual(
      exits.flatMap((_, index) => (index % 3 === 1 ? [uriOf(index)] : [])).toSorted(),
    );
    for (const [index, pty] of host.ptys.ptys.entries()) {
      const more = index % 3 > 0 ? `second ${index}` : '';
      const text = `first ${index}\r\n${more}`;
      expect(outputOf(await terminalState(desk, uriOf(index)))).toBe(text);
      expect(pty.acknowledged).toBe(text.length);
    }
    desk.link.cut();
    await host.advance(200_000);
    expect(loaded(host)).toEqual([]);
  });

  it('[CONN-8] ends those whose processes have ended without loading them, in one change of the list', async () => {
    const host = await startHost();
    await makeTerminals(host, 10);
    const { ptys } = host.ptys;
    ptys[0]?.output('\x1b]0;early\x07');
    await host.advance(1);
    ptys[0]?.output('\x1b]0;late\x07');
    await host.advance(10);
    await host.restart();
    expect(loaded(host)).toEqual([]);
    const changes = host.journal.disk.envelopes.filter(
      ({ channel, json }) => channel === ROOT && json.includes('"exitCode":129'),
    );
    expect(changes).toHaveLength(1);
    const desk = await host.client('desk');
    const list = await terminalList(desk);
    expect(list.map(exitCodeOf)).toEqual(Array.from({ length: 10 }, () => 129));
    expect(list[0]?.title).toBe('late');
    expect(await terminalState(desk, uriOf(0))).toMatchObject({
      title: 'late',
      lifecycle: { status: 'exited', exitCode: 129 },
    });
    expect(outputOf(await terminalState(desk, uriOf(3)))).toBe('first 3\r\n');
    expect(await host.journal.listOpen()).toEqual([]);
    await host.restart();
    expect(await terminalState(await host.client('desk'), uriOf(3))).toMatchObject({
      lifecycle: { status: 'exited', exitCode: 129 },
    });
  });

  it('[CONN-8] [TERM-4] keeps a bounded amount of a flood in memory, and loses none of it', async () => {
    const host = await startHost({ outlivesHost: true, terminals: { scrollbackLength: 1024 * 1024 } });
    const count = 32;
    await makeTerminals(host, count);
    host.kill();
    const line = `${'x'.repeat(78)}\r\n`;
    const flood = line.repeat(12_500);
    for (const pty of host.ptys.ptys) pty.output(flood);
    await host.start();
    let most = 0;
    const all = (): boolean => host.ptys.ptys.every(({ acknowledged }) => acknowledged > flood.length);
    for (let round = 0; !all(); round += 1) {
      expect(round).toBeLessThan(2_000);
      await host.advance(20);
      most = Math.max(most, loadedLength(host));
    }
    // A little more than 16 MiB, of 32 MB.
    expect(most).toBeLessThan(18.5 * 1024 * 1024);
    expect(most).toBeGreaterThan(8 * 1024 * 1024);
    const desk = await host.client('desk');
    for (const index of [0, 7, count - 1])
      expect(outputOf(await terminalState(desk, uriOf(index))) === `first ${index}\r\n${flood}`).toBe(true);
  });
});

it('[TERM-3] [CONN-8] a command in an unloaded terminal ends with its host', async () => {
  const host = await startHost({ terminals: { shell: '/bin/bash', shellIntegration: true } });
  const first = await host.client('desk');
  await openTerminal(host, first);
  const { nonce } = host.host.core.sync.registry.getOf('terminal', TERMINAL)?.hostData ?? {};
  host.ptys.last.output(`\x1b]633;${nonce};C;sleep 9\x07`);
  await host.advance(1_000);
  first.link.cut();
  for (let round = 0; round < 40; round += 1) await host.advance(30_000);
  expect(loaded(host)).toEqual([]);
  await host.stop();
  await host.start();
  const { content } = await terminalState(await host.client('desk'));
  expect(content.at(-1)).toMatchObject({ type: 'command', isComplete: true });
});

describe('terminals whose owner does not answer', () => {
  it('[CONN-8] [TERM-5] show their last state, take no input, and continue when it answers', async () => {
    const host = await startHost({ outlivesHost: true });
    await makeTerminals(host, 2);
    host.kill();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    host.ptys.fallSilent(promise);
    const [pty] = host.ptys.ptys;
    pty?.output('meanwhile');
    await host.start();
    const desk = await host.client('desk');
    const state = await terminalState(desk, uriOf(0));
    expect(outputOf(state)).toBe('first 0\r\n');
    expect(hasExited(state)).toBe(false);
    expect(await rejection(desk, { type: 'terminal/input', data: 'x' }, uriOf(0))).toBe('notReachable');
    await desk.act(uriOf(0), { type: 'terminal/resized', cols: 100, rows: 30 });
    resolve(true);
    await host.run();
    expect(outputOf(await terminalState(desk, uriOf(0)))).toBe('first 0\r\nmeanwhile');
    expect(pty?.sizes.at(-1)).toEqual([100, 30]);
    await desk.act(uriOf(0), { type: 'terminal/input', data: 'x' });
    expect(pty?.keys).toBe('x');
  });

  it('[CONN-8] end when it turns out to have ended', async () => {
    const host = await startHost({ outlivesHost: true });
    await makeTerminals(host, 2);
    host.kill();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    host.ptys.fallSilent(promise);
    await host.start();
    const desk = await host.client('desk');
    await desk.subscribe(uriOf(0));
    resolve(false);
    await host.run();
    expect(desk.types(uriOf(0))).toEqual(['terminal/exited']);
    expect(await terminalList(desk)).toMatchObject([
      { lifecycle: { status: 'exited', exitCode: 129 } },
      { lifecycle: { status: 'exited', exitCode: 129 } },
    ]);
  });
});
