import { RecordingSessionHost } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { SharedTerminals } from './terminals.ts';

it.each<[string, (terminals: SharedTerminals) => Promise<void>]>([
  ['its turn is cancelled', (terminals) => terminals.endTurn(true)],
  ["the agent's session ends", (terminals) => terminals.end()],
])('a terminal that is still starting when %s is released, and the agent gets an error', async (_, stop) => {
  const host = new RecordingSessionHost();
  const terminals = new SharedTerminals({
    host,
    workingDirectory: '/tmp',
    log: () => undefined,
    turnId: () => 'a',
    released: async () => undefined,
  });
  const stopped = Promise.withResolvers<void>();
  host.onTerminal = () => void stop(terminals).then(stopped.resolve, stopped.reject);
  await expect(terminals.create({ command: 'sleep 9' })).rejects.toThrow(
    'the turn that requested this terminal has ended',
  );
  await stopped.promise;
  expect(host.terminals.map(({ isRunning, releaseCount }) => [isRunning, releaseCount])).toEqual([
    [false, 1],
  ]);
  host.onTerminal = () => undefined;
  expect(terminals.named({ terminalId: await terminals.create({ command: 'true' }) }).isInUse).toBe(true);
});
