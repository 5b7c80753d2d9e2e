import { RpcError } from '@agenthost/rpc';
import { expect, test } from 'vitest';
import { chatState, turnOf } from '../../test/fake-host.ts';
import { Harness } from '../../test/harness.ts';

test('an export of a chat that is truncated meanwhile rejects with an error that says so', async () => {
  // The code is loaded when it is needed first; the harness waits for frames only.
  await import('./session-export.ts');
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create({ provider: 'demo' }));
  const { uri } = session.chat.mirror;
  session.dispose();
  await it.settle();
  const turns = Array.from({ length: 201 }, (_, index) => turnOf(`t${index}`));
  it.host.states.set(uri, { ...chatState(uri), turns });
  const read = async () => {
    for await (const part of it.client.sessions.export(session.uri)) expect(part.type).not.toBe('turn');
  };
  it.host.refuse = (method) => (method === 'fetchTurns' ? new RpcError(-32602, 'No such turn') : undefined);
  await expect(it.run(read())).rejects.toThrow(
    `The chat ${uri} was truncated during the export. Export it again.`,
  );
});
