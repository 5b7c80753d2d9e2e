// Many chats with a turn of 16 MB each, completed or running, clients that request all of them, and the host's memory.
import { expect, onTestFinished, test } from 'vitest';
import { WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import { CrowdedHost } from './crowded-host.ts';
import { FLOOD_BARS, getIn, rounded, tokenFor } from './flood.ts';
import { watchPings } from './worst-ping.ts';

const ROOT = 'ahp-root://';
const CHATS = 40;
/** Limit while the turns are made. */
const MOST_MADE_BYTES = 800_000_000;
const LARGE = 'stream 16 every 5 of 1000000';

interface Snapshot {
  readonly resource: string;
  readonly state: { readonly turns: readonly object[]; readonly turnsNextCursor?: string };
}

test('40 chats with a completed turn of 16 MB each, all followed and read again and again, take bounded memory and delay no other client', async () => {
  const host = await CrowdedHost.start();
  const { owner, session } = await host.open();
  const { url } = await tokenFor(host, owner, { name: 'large', scope: 'interact' });
  const writer = await WireClient.connect(url, 'writer');
  const pings = watchPings(await WireClient.connect(host.url, 'pinger'));
  const chats: string[] = [];
  for (let index = 0; index < CHATS; index += 1) {
    const chat = `ahp-chat:/large-${index}`;
    await writer.request('createChat', { channel: session, chat });
    await writer.request('subscribe', { channel: chat, view: { turns: 0 } });
    await wireTurn(writer, chat, LARGE);
    chats.push(chat);
  }
  const worstMakingMs = await pings.end();
  const made = await host.sample();
  await Promise.all([owner.close(), writer.close()]);
  await host.restart();
  const reading = watchPings(await WireClient.connect(host.url, 'another pinger'));
  const reader = await WireClient.connect(url);
  onTestFinished(() => reader.socket.terminate());
  const { snapshots } = await reader.request<{ snapshots: Snapshot[] }>('initialize', {
    channel: ROOT,
    protocolVersions: ['1.0.0'],
    clientId: 'reader',
    initialSubscriptions: chats,
  });
  expect(snapshots.map(({ resource }) => resource)).toEqual(chats);
  // Turns beyond the limit are behind a cursor.
  expect(snapshots.filter(({ state }) => state.turns.length > 0)).toHaveLength(1);
  expect(snapshots.filter(({ state }) => state.turnsNextCursor !== undefined)).toHaveLength(CHATS - 1);
  const ownerMs: number[] = [];
  for (const chat of chats.slice(0, 10)) {
    const { snapshot } = await reader.request<{ snapshot: Snapshot }>('subscribe', { channel: chat });
    expect(snapshot.state.turns).toHaveLength(1);
    await reader.request('fetchTurns', { channel: chat, limit: 1 });
    ownerMs.push(await getIn(host.url, `owner-${ownerMs.length}`));
  }
  const worstPingMs = await reading.end();
  const { rssBytes, peakRssBytes } = await host.sample();
  const getInMs = Math.max(...ownerMs);
  console.log(
    rounded({
      getInMs,
      worstMakingMs,
      worstPingMs,
      madePeakBytes: made.peakRssBytes,
      rssBytes,
      peakRssBytes,
    }),
  );
  expect(getInMs).toBeLessThan(FLOOD_BARS.getInMs);
  expect(Math.max(worstMakingMs, worstPingMs)).toBeLessThan(FLOOD_BARS.pingMs);
  expect(peakRssBytes).toBeLessThan(FLOOD_BARS.peakRssBytes);
  // 50 MB of it are live. The rest is garbage that V8 has not collected while the host writes 32 MB a second.
  expect(made.peakRssBytes).toBeLessThan(MOST_MADE_BYTES);
}, 240_000);
