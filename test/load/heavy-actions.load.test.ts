// Large or frequent dispatches of clients with other tokens than the owner's.
import { expect, onTestFinished, test } from 'vitest';
import { BenchProcess } from '../../bench/process.ts';
import { WireClient } from '../../bench/wire.ts';
import { CrowdedHost } from './crowded-host.ts';
import { FLOOD_BARS, getIn, rounded, tokenFor } from './flood.ts';
import type { HeavyClient } from './heavy-crowd.ts';
import { watchPings } from './worst-ping.ts';

const CLIENTS = 20;
const EVERY_MS = 100;
const FLOOD_MS = 4_000;
const MEGABYTE = 1_000_000;

/** Session and chat of a crowd. */
interface Place {
  readonly session: string;
  readonly chat: string;
}

interface Flood {
  readonly name: string;
  /** Messages in a row, ten times a second. Default 1. */
  readonly atOnce?: number;
  readonly scope?: 'admin';
  /** Number of subscribers that send nothing. Default 0. */
  readonly readerCount?: number;
  /** Whether the clients subscribe to the session and the chat. Default true. */
  readonly follows?: false;
  /** Default 1. */
  readonly tokenCount?: number;
  /** Messages that a client sends one after another. */
  messagesOf(place: Place, clientId: string): HeavyClient['messages'];
}

const dispatch = (channel: string, action: object): HeavyClient['messages'][number] => ({
  method: 'dispatchAction',
  params: { channel, clientSeq: 1, action },
});

const message = (text: string): object => ({ text, origin: { kind: 'user' } });

const draft = (chat: string, text: string, rest: object = {}): HeavyClient['messages'][number] =>
  dispatch(chat, { type: 'chat/draftChanged', draft: { ...message(text), ...rest } });

const FLOODS: readonly Flood[] = [
  {
    name: 'tools of 200 kB',
    messagesOf: ({ session }, clientId) =>
      ['a', 'b'].map((letter) => {
        const tools = Array.from({ length: 100 }, (_, index) => ({
          name: `tool_${index}`,
          description: letter.repeat(2_000),
          inputSchema: { type: 'object' },
        }));
        return dispatch(session, { type: 'session/activeClientSet', activeClient: { clientId, tools } });
      }),
  },
  {
    name: 'drafts of 1 MB',
    messagesOf: ({ chat }) => ['a', 'b'].map((letter) => draft(chat, letter.repeat(MEGABYTE))),
  },
  {
    name: 'drafts of 1 MB that come back to their senders alone',
    follows: false,
    messagesOf: ({ chat }) => ['a', 'b'].map((letter) => draft(chat, letter.repeat(MEGABYTE))),
  },
  {
    name: 'drafts of 1 MB by an admin',
    scope: 'admin',
    messagesOf: ({ chat }) => ['a', 'b'].map((letter) => draft(chat, letter.repeat(MEGABYTE))),
  },
  {
    name: 'drafts of 1 MB by four tokens',
    tokenCount: 4,
    messagesOf: ({ chat }) => ['a', 'b'].map((letter) => draft(chat, letter.repeat(MEGABYTE))),
  },
  {
    name: 'drafts of 1 MB to 600 readers',
    readerCount: 580,
    messagesOf: ({ chat }) => ['a', 'b'].map((letter) => draft(chat, letter.repeat(MEGABYTE))),
  },
  {
    name: 'drafts with photos of 6 MB',
    messagesOf: ({ chat }) =>
      ['a', 'b'].map((letter) =>
        draft(chat, 'photo', {
          attachments: [
            {
              type: 'embeddedResource',
              label: 'photo',
              contentType: 'image/png',
              data: letter.repeat(6 * MEGABYTE),
            },
          ],
        }),
      ),
  },
  {
    name: 'drafts of 100,000 values in `_meta`',
    messagesOf: ({ chat }) =>
      ['a', 'b'].map((letter) =>
        draft(chat, letter, {
          attachments: Array.from({ length: 100 }, () => ({
            type: 'simple',
            label: letter,
            _meta: { values: Array.from({ length: 1_000 }, (_, index) => index % 10) },
          })),
        }),
      ),
  },
  {
    name: 'queued messages of 500 kB',
    messagesOf: ({ chat }, clientId) =>
      ['a', 'b'].map((letter) =>
        dispatch(chat, {
          type: 'chat/pendingMessageSet',
          kind: 'queued',
          id: `of-${clientId}`,
          message: message(letter.repeat(500_000)),
        }),
      ),
  },
  {
    name: 'actions of 1 MB that are refused',
    messagesOf: ({ chat }) => [
      dispatch(chat, {
        type: 'chat/inputAnswerChanged',
        requestId: 'none',
        questionId: 'none',
        answer: { state: 'draft', value: { kind: 'text', value: 'x'.repeat(60_000) } },
        _meta: Object.fromEntries(
          Array.from({ length: 15 }, (_, index) => [`k${index}`, 'y'.repeat(60_000)]),
        ),
      }),
    ],
  },
  {
    name: 'settings of 200 kB',
    messagesOf: ({ session }) =>
      ['a', 'b'].map((letter) =>
        dispatch(session, {
          type: 'session/configChanged',
          config: {
            model: letter.repeat(60_000),
            [letter]: Array.from({ length: 3 }, () => letter.repeat(45_000)),
          },
        }),
      ),
  },
  {
    name: 'titles, 200 at once',
    atOnce: 200,
    messagesOf: ({ session }) =>
      ['a', 'b'].map((letter) =>
        dispatch(session, { type: 'session/titleChanged', title: letter.repeat(500) }),
      ),
  },
];

for (const { name, messagesOf, ...rest } of FLOODS)
  test(`${name}, dispatched ten times a second by ${CLIENTS} clients, delay no other client`, async () => {
    const { atOnce = 1, scope = 'interact', tokenCount = 1, readerCount = 0, follows = true } = rest;
    const host = await CrowdedHost.start();
    const { owner, session, chat } = await host.open();
    const urls = await Promise.all(
      Array.from({ length: tokenCount }, (_, index) =>
        tokenFor(host, owner, { name: `heavy-${index}`, scope }),
      ),
    );
    await owner.close();
    const crowd = new BenchProcess('../test/load/heavy-crowd.ts');
    onTestFinished(() => crowd.end());
    const clients = Array.from({ length: CLIENTS + readerCount }, (_, index): HeavyClient => {
      const clientId = `heavy-${index}`;
      const first = follows
        ? [session, chat].map((channel) => ({ method: 'subscribe', params: { channel } }))
        : [];
      const { url = '' } = urls[index % tokenCount] ?? {};
      return {
        url,
        clientId,
        first,
        messages: index < CLIENTS ? messagesOf({ session, chat }, clientId) : [],
      };
    });
    const pings = watchPings(await WireClient.connect(host.url, 'pinger'));
    await crowd.ask({ kind: 'flood', clients, everyMs: EVERY_MS, atOnce });
    const ownerMs: number[] = [];
    const until = performance.now() + FLOOD_MS;
    while (performance.now() < until) {
      ownerMs.push(await getIn(host.url, `owner-${ownerMs.length}`));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const counts = await crowd.ask<object>({ kind: 'count' });
    await crowd.ask({ kind: 'end' });
    const worstPingMs = await pings.end();
    const { peakRssBytes } = await host.sample();
    const getInMs = Math.max(...ownerMs);
    console.log(rounded({ name, getInMs, worstPingMs, peakRssBytes, ...counts }));
    expect(getInMs).toBeLessThan(FLOOD_BARS.getInMs);
    expect(worstPingMs).toBeLessThan(FLOOD_BARS.pingMs);
    expect(peakRssBytes).toBeLessThan(FLOOD_BARS.peakRssBytes);
  }, 120_000);
