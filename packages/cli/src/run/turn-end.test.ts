import { type AhpClient, ChannelLost, ConnectionLost } from '@agenthost/client';
import { expect, test, vi } from 'vitest';
import { markRead } from './turn-end.ts';

const stop = vi.fn();
const online: Pick<AhpClient, 'status' | 'onStatus'> = {
  status: { state: 'online' } as AhpClient['status'],
  onStatus: () => stop,
};

test('a removed session and a lost connection are no failures', async () => {
  for (const error of [new ChannelLost('ahp-session:/1'), new ConnectionLost('closed')]) {
    stop.mockClear();
    await markRead(online, { setRead: () => Promise.reject(error) });
    expect(stop).toHaveBeenCalledTimes(1);
  }
});

test('any other error is passed on', async () => {
  const error = new TypeError('not like this');
  stop.mockClear();
  await expect(markRead(online, { setRead: () => Promise.reject(error) })).rejects.toBe(error);
  expect(stop).toHaveBeenCalledTimes(1);
});
