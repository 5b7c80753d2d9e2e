import type { StateAction } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';

async function refusalOf(asked: Promise<unknown>): Promise<unknown> {
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  return Object(Object(error).data)['x-refusal'];
}

test('[WIRE-3] an invalid parameter is refused with its path and the problem as data', async () => {
  const host = await startHost();
  const client = await host.client();
  const channel = 'ahp-session:/new';
  expect(
    await refusalOf(client.request('createSession', { channel, config: { approvals: 'some' } })),
  ).toEqual({
    kind: 'parameter',
    parameter: 'config.approvals',
    problem: expect.stringContaining('expected one of "ask"'),
  });
  expect(await refusalOf(client.request('createSession', { channel, ...Object({ provider: 7 }) }))).toEqual({
    kind: 'parameter',
    parameter: 'provider',
    problem: 'must be a string',
  });
  expect(
    await refusalOf(client.request('x-searchSessions', { channel: ROOT, query: 'x'.repeat(1_001) })),
  ).toEqual({
    kind: 'parameter',
    parameter: 'query',
    problem: 'at most 1,000 characters, got 1,001',
  });
  host.kill();
});

test('[SESS-1] a working directory that does not exist is refused with its URI as data', async () => {
  const host = await startHost();
  const client = await host.client();
  const workingDirectory = 'file:///no/such/place';
  expect(
    await refusalOf(
      client.request('createSession', {
        channel: 'ahp-session:/new',
        workingDirectories: [workingDirectory],
      }),
    ),
  ).toEqual({
    kind: 'folder',
    uri: workingDirectory,
    reason: 'missing',
  });
  host.kill();
});

test('[ACT-3] a rejected action carries the key or the size that was refused as data', async () => {
  const host = await startHost();
  const client = await host.client();
  const { session } = await host.session(client);
  const refused = async (channel: string, action: StateAction): Promise<unknown> =>
    (await client.act(channel, action))?.['x-refusal'];
  expect(await refused(ROOT, { type: 'root/configChanged', config: { maxTerminals: 'few' } })).toEqual({
    kind: 'parameter',
    parameter: 'maxTerminals',
    problem: 'expected a number',
  });
  expect(await refused(session, { type: 'session/configChanged', config: { unknown: 1 } })).toEqual({
    kind: 'parameter',
    parameter: 'unknown',
    problem: 'unknown key',
  });
  expect(await refused(session, { type: 'session/titleChanged', title: 'x'.repeat(513) })).toEqual({
    kind: 'size',
    field: 'action.title',
    unit: 'characters',
    max: 512,
    actual: 513,
  });
  host.kill();
});
