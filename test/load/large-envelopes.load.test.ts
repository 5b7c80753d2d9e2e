// One large action for many clients: clients that read stay connected at any speed, and clients that read nothing are disconnected.
import { expect, onTestFinished, test } from 'vitest';
import { SlowReader } from '../../bench/slow-reader.ts';
import { WireClient } from '../../bench/wire.ts';
import { SlowLink } from '../terminals/slow-link.ts';
import { CrowdedHost } from './crowded-host.ts';
import { FLOOD_BARS, getIn, rounded } from './flood.ts';
import { watchPings } from './worst-ping.ts';

const MEGABYTE = 1_000_000;
const READERS = 20;

/** A draft of 3 MB, the maximum for a message's text. */
const large = (words: string): object => ({
  type: 'chat/draftChanged',
  draft: { text: `${words} ${'あ'.repeat(MEGABYTE)}`, origin: { kind: 'user' } },
});

/** Resolves when a frame with this text has arrived completely. */
const hasCome = ({ socket }: WireClient, words: string): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.on('message', (frame: Buffer) => {
      if (frame.includes(words)) resolve();
    });
    socket.on('close', (code) => reject(new Error(`closed with ${code}`)));
  });

test('actions of 12 MB at once reach their sender, many fast clients and one on a slow line again and again; clients that read nothing cost bounded memory', async () => {
  const host = await CrowdedHost.start();
  const { owner, chat } = await host.open();
  const pings = watchPings(await WireClient.connect(host.url, 'pinger'));
  const readers: WireClient[] = [owner];
  for (let index = 0; index < READERS; index += 1) {
    const reader = await WireClient.connect(host.url, `reader-${index}`);
    await reader.request('subscribe', { channel: chat, view: { turns: 1 } });
    readers.push(reader);
  }
  const target = new URL(host.url);
  const link = await SlowLink.open(Number(target.port), { delayMs: 0, bytesPerSecond: 2 * MEGABYTE });
  onTestFinished(() => link.close());
  target.port = String(link.port);
  const slow = await WireClient.connect(target.href, 'slow');
  await slow.request('subscribe', { channel: chat, view: { turns: 1 } });
  const deaf = await Promise.all(
    Array.from({ length: READERS }, async (_, index) => {
      const reader = await SlowReader.connect(host.url, `deaf-${index}`, 0);
      onTestFinished(() => reader.close());
      reader.ask('subscribe', { channel: chat, view: { turns: 1 } });
      return reader;
    }),
  );
  const { rssBytes } = await host.sample();
  const tookMs: number[] = [];
  const ownerMs: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const from = performance.now();
    const come = [...readers, slow].flatMap((reader) => [
      hasCome(reader, `draft ${round}.3`),
      hasCome(reader, `text ${round}`),
    ]);
    for (let index = 0; index < 4; index += 1) owner.dispatch(chat, large(`draft ${round}.${index}`));
    // This action queues behind the large ones.
    owner.dispatch(chat, {
      type: 'chat/draftChanged',
      draft: { text: `text ${round}`, origin: { kind: 'user' } },
    });
    await Promise.all(come);
    tookMs.push(performance.now() - from);
    ownerMs.push(await getIn(host.url, `owner-${round}`));
  }
  const worstPingMs = await pings.end();
  const { peakRssBytes } = await host.sample();
  console.log(rounded({ tookMs, ownerMs, worstPingMs, rssBytes, peakRssBytes }));
  expect(peakRssBytes).toBeLessThan(FLOOD_BARS.peakRssBytes);
  expect(Math.max(...ownerMs)).toBeLessThan(FLOOD_BARS.getInMs);
  // A client that does not read learns of its disconnection when it writes.
  await expect
    .poll(() => {
      for (const reader of deaf) if (reader.isOpen) reader.ask('ping', { channel: 'ahp-root://' });
      return deaf.some(({ isOpen }) => isOpen);
    })
    .toBe(false);
  expect(readers.every(({ socket }) => socket.readyState === socket.OPEN)).toBe(true);
  expect(slow.socket.readyState).toBe(slow.socket.OPEN);
  for (const reader of [...readers, slow]) await reader.close();
}, 240_000);
