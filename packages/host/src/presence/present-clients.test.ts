import type { TokenScope } from '@agenthost/protocol';
import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import type { EncodedNotification, Sink } from '../sync/subscription.ts';
import { PresentClients } from './present-clients.ts';

/** A client whose connection counts unsent bytes. */
class TestSink implements Sink {
  waitingBytes = 0;
  readonly lists: unknown[] = [];

  envelope(): void {
    throw new Error('presence sends no envelopes');
  }

  frame(): void {
    throw new Error('presence sends no answers');
  }

  notification({ params }: EncodedNotification): void {
    this.lists.push(params);
  }
}

function stage() {
  const clock = new SimulatedClock();
  const output: (() => void)[] = [];
  const clients = new PresentClients({ clock, timers: clock, path: { send: (send) => output.push(send) } });
  const join = (clientId: string, scope: TokenScope = 'interact'): TestSink => {
    const sink = new TestSink();
    clients.join(sink, { clientId, names: { name: clientId }, scope, channels: [] });
    return sink;
  };
  const advance = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    for (const send of output.splice(0)) send();
  };
  return { clock, clients, output, join, advance };
}

test('lists are sent by the commit path, which writes them to the sockets', async () => {
  const { clock, clients, output, join } = stage();
  const page = join('page');
  clients.set(page, { isVisible: true });
  await clock.settle();
  expect(page.lists).toEqual([]);
  for (const send of output.splice(0)) send();
  expect(page.lists).toHaveLength(1);
});

test('a client that does not read gets the present list once it reads', async () => {
  const { clients, join, advance } = stage();
  const page = join('page');
  clients.set(page, { isVisible: true });
  await advance(0);
  page.waitingBytes = 100_000;
  for (const id of ['a', 'b', 'c']) {
    join(id);
    await advance(250);
  }
  expect(page.lists).toHaveLength(1);
  page.waitingBytes = 0;
  await advance(500);
  expect(page.lists).toHaveLength(2);
  expect(page.lists[1]).toMatchObject({ clients: [{}, {}, {}, {}] });
});

test('long names of channels do not make a list larger than 256 Ki characters', async () => {
  const { clients, join, advance } = stage();
  for (let index = 0; index < 10; index += 1)
    clients.set(join(`c${index}`), { isVisible: true, showing: [`ahp-session:/${'x'.repeat(60_000)}`] });
  const page = join('page');
  clients.set(page, { isVisible: true });
  await advance(0);
  expect(page.lists[0]).toMatchObject({ more: 7 });
  expect(JSON.stringify(page.lists[0]).length).toBeLessThan(270_000);
});

test('after the stop nothing is sent', async () => {
  const { clients, join, advance } = stage();
  const page = join('page');
  clients.set(page, { isVisible: true });
  clients.stop();
  await advance(10_000);
  expect(page.lists).toEqual([]);
});

test('a client in the foreground is a viewer of its channels', () => {
  const { clients, join } = stage();
  const page = join('page');
  clients.set(page, { isVisible: false, showing: ['ahp-session:/s'] });
  expect(clients.viewersOf(['ahp-session:/s'])).toEqual([]);
  clients.set(page, { isVisible: true, showing: ['ahp-session:/s'] });
  expect(clients.viewersOf(['ahp-chat:/c', 'ahp-session:/s'])).toEqual([page]);
  expect(clients.viewersOf(['ahp-chat:/c'])).toEqual([]);
  clients.leave(page);
  expect(clients.viewersOf(['ahp-session:/s'])).toEqual([]);
  expect(clients.isConnected(page)).toBe(false);
});

test('a client with the scope observe is no viewer, because it cannot answer', () => {
  const { clients, join } = stage();
  const wall = join('wall', 'observe');
  clients.set(wall, { isVisible: true, showing: ['ahp-session:/s'] });
  expect(clients.viewersOf(['ahp-session:/s'])).toEqual([]);
});
