import { PassThrough } from 'node:stream';
import { AgentError } from '@agenthost/host/agent';
import { expect, test } from 'vitest';
import { processTimers } from '../runtime.ts';
import { openMessageStream } from './message-stream.ts';

const MIB = 1024 * 1024;

test('the connection to an agent that does not read ends when more than 64 MiB are unsent', async () => {
  const [stdout, stdin] = [new PassThrough(), new PassThrough()];
  const { sdk, ended } = openMessageStream({
    stdout,
    stdin,
    timers: processTimers,
    maxLineBytes: MIB,
    takeNotification: () => undefined,
    onNoise: () => undefined,
    onFault: () => undefined,
  });
  const writer = sdk.writable.getWriter();
  const result = 'x'.repeat(MIB);
  const answer = (id: number) => writer.write({ jsonrpc: '2.0', id, result });
  for (let id = 0; id < 64; id += 1) await answer(id);
  expect(stdout.destroyed).toBe(false);
  // The earlier answers took a little more than their 64 MiB.
  for (let id = 64; id < 66; id += 1) await answer(id);
  const error: unknown = await ended.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AgentError);
  expect(error).toMatchObject({
    errorType: 'agentUnresponsive',
    message: 'the agent does not read its input: more than 67108864 bytes are queued',
  });
  await expect(sdk.readable.getReader().read()).rejects.toBe(error);
  expect(stdout.destroyed).toBe(true);
});
