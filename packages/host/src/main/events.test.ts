import { FaultJournal, SimulatedClock } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { SESSION, startHost } from '../../test/host-fixture.ts';
import { PuppetAgent } from '../../test/puppet-agent.ts';
import { memoryLog } from '../lib/log.ts';
import { createHost, type Host } from './create-host.ts';
import type { HostEvents } from './events.ts';

const NAMES = [
  'ready',
  'sessionAdded',
  'sessionRemoved',
  'journalUnavailable',
  'journalRecovered',
  'databaseDamaged',
  'databaseSetAside',
  'databaseLost',
  'stopped',
] as const satisfies (keyof HostEvents)[];

/** Collects all later events of a host. */
function hear(host: Host): [string, object][] {
  const heard: [string, object][] = [];
  for (const name of NAMES) host.on(name, (detail: object) => heard.push([name, detail]));
  return heard;
}

it('a host emits events for its sessions when they are durable, and for its end', async () => {
  const host = await startHost();
  const heard = hear(host.host);
  const client = await host.client();
  const gate = Promise.withResolvers<void>();
  host.journal.gates.beforeCommit = () => gate.promise;
  client.ask('createSession', { channel: SESSION });
  await host.run();
  expect(heard).toStrictEqual([]);
  gate.resolve();
  await host.run();
  expect(heard).toStrictEqual([['sessionAdded', { uri: SESSION }]]);
  await client.request('disposeSession', { channel: SESSION });
  await host.run();
  await host.stop();
  expect(heard.slice(1)).toStrictEqual([
    ['sessionRemoved', { uri: SESSION }],
    ['stopped', {}],
  ]);
});

it('a host emits one event when its journal cannot be written, and one when it can again', async () => {
  const host = await startHost();
  const heard = hear(host.host);
  const client = await host.client();
  await host.session(client);
  heard.length = 0;
  host.journal.failNextCommits(3);
  await client.act(SESSION, { type: 'session/titleChanged', title: 'x' });
  await host.advance(1_500);
  expect(heard).toMatchObject([['journalUnavailable', { error: { code: 'full' } }]]);
  await host.advance(2_000);
  expect(heard.slice(1)).toStrictEqual([['journalRecovered', {}]]);
});

it('a host that set its database aside emits an event with the path, and then that it is ready', async () => {
  const journal = new FaultJournal();
  const opened = await journal.open();
  const setAside = { path: '/data/journal.db.damaged', reason: 'malformed' };
  journal.open = async () => ({ ...opened, setAside });
  const clock = new SimulatedClock();
  const log = memoryLog();
  const host = createHost({ journal, agents: [() => new PuppetAgent()], clock, timers: clock, log });
  host.on('ready', () => {
    throw new Error('a listener broke');
  });
  const heard = hear(host);
  const off = host.on('ready', () => heard.push(['never', {}]));
  off();
  off();
  const started = host.start();
  for (let round = 0; round < 20; round += 1) await clock.settle();
  await started;
  expect(heard).toStrictEqual([
    ['databaseSetAside', setAside],
    ['ready', {}],
  ]);
  expect(log.lines.map(({ message }) => message)).toContain('a listener of the host failed');
  const stopped = host.stop();
  for (let round = 0; round < 20; round += 1) await clock.settle();
  await stopped;
});
