import { SimulatedClock } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isEnded, KeeperStage } from './contract-keeper.ts';
import { read, untilGone } from './contract-keepers.ts';
import type { Keeper } from './keeper.ts';

/** A program that must be killed, which takes a keeper two seconds. */
const STUBBORN = `trap '' HUP TERM; echo ready; while :; do sleep 1000; done`;

let stage: KeeperStage<SimulatedClock>;

beforeEach(() => {
  stage = new KeeperStage(new SimulatedClock());
});
afterEach(() => stage.end());

/** Fails unless the keeper holds no pty and waits only for the next host, for five seconds. */
async function expectIdle(keeper: Keeper): Promise<void> {
  await stage.untilCounting();
  await stage.clock.advance(4_999);
  expect(await isEnded(keeper)).toBe(false);
  await stage.clock.advance(1);
  await keeper.ended;
}

describe('a pty that is ended permanently', () => {
  test('ends with its last process and is removed, even when its host leaves meanwhile', async () => {
    const keeper = await stage.start();
    const connection = await stage.reach();
    const pty = await stage.spawnOn(connection, STUBBORN);
    await read(pty).shows('ready');
    const killed = pty.kill({ forgets: true });
    await connection.close();
    await killed;
    const next = await stage.reach();
    expect(await stage.idsOn(next)).toEqual([]);
    await next.close();
    await untilGone(pty.pid);
    await expectIdle(keeper);
  });

  test('is removed when its host leaves before it has read all output', async () => {
    const keeper = await stage.start();
    const connection = await stage.reach();
    const pty = await stage.spawnOn(connection, 'exec yes');
    await read(pty, 0, { acknowledges: false }).shows('y');
    await pty.kill({ forgets: true });
    await connection.close();
    await expectIdle(keeper);
  });

  test('is removed when another host takes over meanwhile', async () => {
    const keeper = await stage.start();
    const pty = await stage.spawnOn(await stage.reach(), STUBBORN);
    await read(pty).shows('ready');
    const killed = pty.kill({ forgets: true });
    const next = await stage.reach();
    await killed;
    expect(await stage.idsOn(next)).toEqual([]);
    await untilGone(pty.pid);
    await next.close();
    await expectIdle(keeper);
  });

  test('reports its exit to a host that stays, and needs no release', async () => {
    const keeper = await stage.start();
    const connection = await stage.reach();
    const pty = await stage.spawnOn(connection, 'echo ready; exec sleep 1000');
    const heard = read(pty);
    await heard.shows('ready');
    await pty.kill({ forgets: true });
    expect(await heard.exitCode).toBeGreaterThan(128);
    await connection.close();
    await expectIdle(keeper);
  });

  test('is only one that its host named: any other is kept for the next host', async () => {
    await stage.start();
    const connection = await stage.reach();
    const pty = await stage.spawnOn(connection, 'exec sleep 1000');
    await pty.kill();
    await stage.leave(connection);
    const next = await stage.reach();
    expect(await stage.idsOn(next)).toEqual(['a']);
  });
});
