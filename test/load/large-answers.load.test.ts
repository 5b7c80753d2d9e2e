// Data larger than the limit of one answer, over the wire.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { measuredHost, withFolder } from '../../bench/process.ts';
import { newSession, WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';

const MEBIBYTE = 1024 * 1024;
const CHATS = 5;
const TURNS = 4;
/** Four such turns exceed the limit of a snapshot; three of each chat exceed the limit of an answer. */
const TURN_BYTES = 2_400_000;
/** Limit for the turns in one answer. */
const MOST_BYTES = 32 * MEBIBYTE;
/** Limit for a file in one answer. */
const MOST_FILE_BYTES = 24 * MEBIBYTE;
/** Limit of our client for one message, larger than an answer with its turns. */
const MOST_FRAME_BYTES = MOST_BYTES + MEBIBYTE;

interface ChatState {
  readonly turns: readonly { readonly id: string }[];
  readonly turnsNextCursor?: string;
}

interface Snapshot {
  readonly resource: string;
  readonly state: ChatState;
}

test(
  '[SUB-3] [CHAT-15] [RES-1] answers stop at 32 MiB with a cursor or an error, and the connection stays open',
  () =>
    withFolder(async (folder) => {
      const host = measuredHost();
      try {
        const { url } = await host.ask<{ url: string }>({ kind: 'start', folder, isShort: false });
        const owner = await WireClient.connect(url, 'owner');
        const work = join(folder, 'work');
        await mkdir(work);
        const { session, chat } = await newSession(owner, pathToFileURL(work).href);
        const chats = [chat, ...Array.from({ length: CHATS - 1 }, (_, index) => `ahp-chat:/large-${index}`)];
        for (const channel of chats) {
          if (channel !== chat) await owner.request('createChat', { channel: session, chat: channel });
          await owner.request('subscribe', { channel, view: { turns: 0 } });
          for (let turn = 0; turn < TURNS; turn += 1)
            await wireTurn(owner, channel, `stream 3 every 0 of ${TURN_BYTES / 3}`);
        }

        const viewer = await WireClient.connect(url);
        let largest = 0;
        const loaded: { channel: string; ids: string[] }[] = [];
        viewer.socket.on('message', (data: Buffer) => {
          largest = Math.max(largest, data.length);
          const { params } = JSON.parse(data.toString());
          if (params?.action?.type !== 'chat/turnsLoaded') return;
          const turns: { id: string }[] = params.action.turns;
          loaded.push({ channel: params.channel, ids: turns.map(({ id }) => id) });
        });
        const { snapshots } = await viewer.request<{ snapshots: Snapshot[] }>('initialize', {
          channel: 'ahp-root://',
          protocolVersions: ['1.0.0'],
          clientId: 'viewer',
          initialSubscriptions: chats,
        });
        expect(snapshots.map(({ resource }) => resource)).toEqual(chats);
        const bytes = snapshots.map(({ state }) => JSON.stringify(state.turns).length);
        expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(MOST_BYTES);
        expect(largest).toBeGreaterThan(MOST_BYTES / 2);
        // Nothing is lost: page by page, each chat has all of its turns once.
        for (const { resource: channel, state } of snapshots) {
          expect(state.turns.length).toBeGreaterThan(0);
          expect(state.turnsNextCursor).toBeDefined();
          loaded.length = 0;
          let cursor = state.turnsNextCursor;
          while (cursor !== undefined) {
            const page: { turnsNextCursor?: string } = await nextPage(viewer, channel, cursor);
            cursor = page.turnsNextCursor;
          }
          const ids = [
            ...loaded.toReversed().flatMap(({ ids: each }) => each),
            ...state.turns.map(({ id }) => id),
          ];
          expect(ids).toHaveLength(TURNS);
          expect(new Set(ids).size).toBe(TURNS);
        }

        // One file of exactly the limit, and a larger one.
        for (const [name, size] of [
          ['fits', MOST_FILE_BYTES],
          ['large', MOST_FILE_BYTES + 1],
        ] as const)
          await writeFile(join(work, name), Buffer.alloc(size, 'a'));
        const read = (name: string): Promise<{ data: string }> =>
          viewer.request('resourceRead', {
            channel: 'ahp-root://',
            uri: pathToFileURL(join(work, name)).href,
          });
        expect((await read('fits')).data).toHaveLength(MOST_FILE_BYTES);
        await expect(read('large')).rejects.toThrow(
          `has ${MOST_FILE_BYTES + 1} bytes, and at most ${MOST_FILE_BYTES} are read at once`,
        );
        expect(largest).toBeLessThan(MOST_FRAME_BYTES);
        // The connection is still open.
        await viewer.request('ping', { channel: 'ahp-root://' });
        await wireTurn(viewer, chat, 'say after it all');
        await Promise.all([owner.close(), viewer.close()]);
      } finally {
        await host.end();
      }
    }),
  120_000,
);

/** Requests older turns. The page comes in an envelope before the answer. */
async function nextPage(
  client: WireClient,
  channel: string,
  cursor: string,
): Promise<{ turnsNextCursor?: string }> {
  let page: { turnsNextCursor?: string } = {};
  const look = (data: Buffer): void => {
    const { params } = JSON.parse(data.toString());
    if (params?.action?.type === 'chat/turnsLoaded' && params.channel === channel) page = params.action;
  };
  client.socket.on('message', look);
  await client.request('fetchTurns', { channel, cursor });
  client.socket.off('message', look);
  return page;
}
