import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Screen } from '../render/screen.ts';
import { askEach } from './every-host.ts';

afterEach(() => vi.useRealTimers());

test('a host that accepts a connection and never answers is given up after its time limit', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const context = new FakeContext();
  const host = { label: 'mute', target: { url: `http://127.0.0.1:${port}`, isOwn: false } };
  const asking = askEach(context, new Screen(context), [host], async () => 'answered');
  await vi.waitUntil(() => sockets.length > 0, { timeout: 60_000 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await asking).toMatchObject([{ problem: 'no answer within 10 s', isAbsent: false }]);
  vi.useRealTimers();
  const closed = new Promise((resolve) => silent.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
});
