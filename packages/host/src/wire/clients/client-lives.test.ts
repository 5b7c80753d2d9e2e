import { SimulatedClock } from '@agenthost/testkit';
import { describe, expect, it, test } from 'vitest';
import { type ClientLife, ClientLives } from './client-lives.ts';

const GRACE_MS = 30_000;

const participant = () => ({ takesPart: true });
const observer = () => ({ takesPart: false });

function startLives() {
  const clock = new SimulatedClock();
  const lives = new ClientLives({ clock, timers: clock, graceMs: GRACE_MS });
  const told: string[] = [];
  lives.onChange((clientId, state) => told.push(`${clientId} ${state}`));
  const stateOf = (clientId: string) => lives.lifeOf(clientId).state;
  /** Disconnects the client's connection. */
  const disconnect = (clientId: string): void => {
    const connection = lives.connectionOf(clientId);
    if (connection !== undefined) lives.disconnect(clientId, connection);
  };
  /** Brings a client into a state. */
  const bring = async (state: ClientLife<unknown>['state']): Promise<void> => {
    if (state === 'gone') await clock.advance(GRACE_MS + 1);
    if (state === 'connected' || state === 'away') lives.connect('client', participant());
    if (state === 'away') disconnect('client');
  };
  return { clock, lives, told, stateOf, disconnect, bring };
}

type Event = 'connect' | 'observe' | 'disconnect' | 'grace ends';

describe('the state of a client', () => {
  it.each<[ClientLife<unknown>['state'], Event, ClientLife<unknown>['state']]>([
    ['known', 'connect', 'connected'],
    ['known', 'observe', 'known'],
    ['known', 'disconnect', 'known'],
    ['known', 'grace ends', 'gone'],
    ['connected', 'connect', 'connected'],
    ['connected', 'observe', 'away'],
    ['connected', 'disconnect', 'away'],
    ['connected', 'grace ends', 'connected'],
    ['away', 'connect', 'connected'],
    ['away', 'observe', 'away'],
    ['away', 'disconnect', 'away'],
    ['away', 'grace ends', 'gone'],
    ['gone', 'connect', 'connected'],
    ['gone', 'observe', 'gone'],
    ['gone', 'disconnect', 'gone'],
  ])('%s: %s: %s', async (from, event, to) => {
    const { clock, lives, stateOf, disconnect, bring } = startLives();
    await bring(from);
    if (event === 'connect') lives.connect('client', participant());
    if (event === 'observe') lives.connect('client', observer());
    if (event === 'disconnect') disconnect('client');
    if (event === 'grace ends') await clock.advance(GRACE_MS + 1);
    expect(stateOf('client')).toBe(to);
    lives.stop();
  });

  it('[AUTH-1] is not changed by a read-only connection, although it uses the id of the client', async () => {
    const { clock, lives, told, disconnect } = startLives();
    lives.connect('client', participant());
    disconnect('client');
    const looking = observer();
    lives.connect('client', looking);
    expect(lives.connectionOf('client')).toBe(looking);
    expect(lives.isPresent('client')).toBe(false);
    await clock.advance(GRACE_MS + 1);
    expect(lives.isGone('client')).toBe(true);
    const newer = observer();
    expect(lives.connect('client', newer)).toBe(looking);
    expect(lives.disconnect('client', looking)).toBe(false);
    expect(lives.disconnect('client', newer)).toBe(true);
    expect(told).toEqual(['client connected', 'client away', 'client gone']);
  });

  it('[CONN-3] does not change when a replaced connection closes', () => {
    const { lives, stateOf } = startLives();
    const [older, newer] = [participant(), participant()];
    lives.connect('client', older);
    expect(lives.connect('client', newer)).toBe(older);
    expect(lives.disconnect('client', older)).toBe(false);
    expect(stateOf('client')).toBe('connected');
  });
});

describe('the end of a grace period', () => {
  it('[SESS-8] is reported once, and not for a client that has returned', async () => {
    const { clock, lives, told, disconnect } = startLives();
    for (const client of ['returns', 'leaves']) {
      lives.connect(client, participant());
      disconnect(client);
    }
    await clock.advance(GRACE_MS);
    lives.connect('returns', participant());
    await clock.advance(10 * GRACE_MS);
    expect(told.slice(4)).toEqual(['returns connected', 'leaves gone']);
  });

  it('[CONN-8] is reported for an expected client that never connected', async () => {
    const { clock, lives, told } = startLives();
    lives.expect('never seen');
    expect(lives.isGone('never seen')).toBe(false);
    await clock.advance(GRACE_MS + 1);
    lives.expect('expected late');
    await clock.advance(0);
    expect(told).toEqual(['never seen gone', 'expected late gone']);
  });

  it('leaves no timer when the host stops', () => {
    const { clock, lives, disconnect } = startLives();
    lives.connect('before', participant());
    lives.connect('after', participant());
    disconnect('before');
    lives.stop();
    disconnect('after');
    expect(clock.nextAt).toBeUndefined();
  });
});

test('[SESS-8] [TERM-5] a change of the wall clock does not change a grace period', () => {
  const day = 24 * 60 * 60 * 1_000;
  for (const jump of [day, -day]) {
    let steady = 0;
    let offset = Date.UTC(2026, 0, 1);
    const clock = { now: () => steady + offset, elapsed: () => steady };
    const timers = { after: () => () => undefined, immediate: () => undefined };
    const lives = new ClientLives({ clock, timers, graceMs: GRACE_MS });
    const connection = participant();
    lives.connect('client', connection);
    lives.disconnect('client', connection);
    offset += jump;
    steady += 29_000;
    expect(lives.isGone('client')).toBe(false);
    expect(lives.isGone('never seen')).toBe(false);
    steady += 1_001;
    expect(lives.isGone('client')).toBe(true);
    expect(lives.isGone('never seen')).toBe(true);
  }
});
