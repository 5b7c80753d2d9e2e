import { describe, expect, it } from 'vitest';
import { memoryLog, silentLog } from '../lib/log.ts';
import type { Feature } from './feature.ts';
import { FeatureList } from './feature-list.ts';

function noting(seen: string[], name: string): Feature {
  const note = (what: string) => () => void seen.push(`${what} ${name}`);
  return {
    name,
    observe: note('observe'),
    recover: note('recover'),
    sweep: note('sweep'),
    stop: note('stop'),
  };
}

describe('the features of a host', () => {
  it('start in the order of the list and stop in the opposite order, once', async () => {
    const seen: string[] = [];
    const features = new FeatureList(silentLog);
    for (const name of ['a', 'b']) features.add(noting(seen, name));
    await features.recover();
    features.sweep();
    await features.stop();
    await features.stop();
    expect(seen).toEqual([
      'observe a',
      'observe b',
      'recover a',
      'recover b',
      'sweep a',
      'sweep b',
      'stop b',
      'stop a',
    ]);
  });

  it('stop although one of them fails to stop, which is logged with its name', async () => {
    const seen: string[] = [];
    const log = memoryLog();
    const features = new FeatureList(log);
    features.add(noting(seen, 'a'));
    const stop = (): Promise<void> => Promise.reject(new Error('a socket broke'));
    features.add({ name: 'broken', stop });
    await features.stop();
    expect(seen.at(-1)).toBe('stop a');
    expect(JSON.stringify(log)).toContain('broken');
  });

  it('answer the requests of all of them, but no two answer the same one', () => {
    const features = new FeatureList(silentLog);
    const { commands, channels } = features;
    const fetchTurns = (): never => {
      throw new Error('no such chat');
    };
    features.add({ name: 'a', commands: { fetchTurns } });
    expect(commands.fetchTurns).toBe(fetchTurns);
    expect(() => features.add({ name: 'b', commands: { fetchTurns } })).toThrow(
      'two features have the command fetchTurns',
    );
    const plan = fetchTurns;
    features.add({ name: 'c', channel: { chat: { plan } } });
    expect(channels.chat?.plan).toBe(plan);
    expect(() => features.add({ name: 'd', channel: { chat: { plan } } })).toThrow(
      'two features have the channel chat',
    );
  });

  it('receive the clients that leave a channel or come back', async () => {
    const heard: unknown[] = [];
    const features = new FeatureList(silentLog);
    features.add({
      name: 'a',
      clients: {
        unsubscribed: (...all) => void heard.push(all),
        returned: async (...all) => void heard.push(all),
      },
    });
    features.clients.unsubscribed('me', 'ahp-session:/one');
    await features.clients.returned('me', ['ahp-session:/two']);
    expect(heard).toEqual([
      ['me', 'ahp-session:/one'],
      ['me', ['ahp-session:/two']],
    ]);
  });
});
