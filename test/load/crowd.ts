// Many clients of the library in one process, so that the host has the other core.
import { createHash } from 'node:crypto';
import { type AhpClient, createClient, type Mirror } from '@agenthost/client';
import type { ChannelKind } from '@agenthost/protocol';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { observeTransport } from '@agenthost/testkit';
import { serve } from '../../bench/process.ts';

type Request =
  /** Adds `count` clients, each subscribed to these channels. */
  | { kind: 'join'; url: string; count: number; channels: string[] }
  /**
   * Answers when all clients are online and have received the envelope with this number. The answer has their states, and their envelopes
   * since the last answer.
   */
  | { kind: 'settle'; channel: string; seq: number }
  /** Disconnects all clients until `return`. */
  | { kind: 'leave' }
  /** After all clients have requested a reconnect, none reads for `deafMs`. Absent: they read at once. */
  | { kind: 'return'; deafMs?: number };

/** A comparison of all clients. */
export interface CrowdState {
  /** Distinct sequences of envelopes by digest. 1 when all clients received the same. */
  readonly histories: number;
  /** Least and greatest number of envelopes that a client received. */
  readonly seen: { readonly least: number; readonly most: number };
  /** Distinct states of each channel, as JSON. */
  readonly states: Record<string, string[]>;
  /** Types of answers to `reconnect`, with their counts. */
  readonly returns: Record<string, number>;
}

interface Member {
  readonly client: AhpClient;
  readonly mirrors: Mirror<ChannelKind>[];
  readonly seen: number[];
}

const members: Member[] = [];
let returns: Record<string, number> = {};
const connections = new Set<{ close(): void }>();
let askedCount = 0;
let onAllAsked = (): void => undefined;
let gate: { readonly opened: Promise<void>; open(): void } | undefined;

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'join': {
      const first = members.length;
      const { url, count, channels } = request;
      const joined = Array.from({ length: count }, (_, index) =>
        join(url, `one-of-many-${first + index}`, channels),
      );
      members.push(...(await Promise.all(joined)));
      return {};
    }
    case 'settle':
      return settle(request.channel, request.seq);
    case 'leave': {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = { opened: promise, open: resolve };
      for (const connection of connections) connection.close();
      return {};
    }
    case 'return':
      onAllAsked = () => {
        // Blocks the whole process, so that no socket is read.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, request.deafMs ?? 0);
      };
      gate?.open();
      gate = undefined;
      return {};
    default:
      return request satisfies never;
  }
}

async function join(url: string, clientId: string, channels: readonly string[]): Promise<Member> {
  const seen: number[] = [];
  const client = createClient({
    clientId,
    backoff: { minMs: 50, maxMs: 250 },
    connectTimeoutMs: 120_000,
    transport: async (signal) => {
      await gate?.opened;
      const transport = await connectWebSocket(url, { signal });
      connections.add(transport);
      return observeTransport(transport, {
        envelope: ({ serverSeq }) => void seen.push(serverSeq),
        frame: (direction, text) => {
          if (direction !== 'out' || !text.includes('"method":"reconnect"')) return;
          askedCount += 1;
          if (askedCount === members.length) setImmediate(onAllAsked);
        },
        reconnected: (type) => {
          returns[type] = (returns[type] ?? 0) + 1;
        },
        closed: () => connections.delete(transport),
      });
    },
  });
  await client.connect();
  const mirrors = await Promise.all(channels.map((channel) => client.subscribe(channel)));
  return { client, mirrors, seen };
}

async function settle(channel: string, seq: number): Promise<CrowdState> {
  await Promise.all(members.map(({ client }) => client.whenOnline()));
  const isThere = ({ mirrors }: Member): boolean =>
    mirrors.every((mirror) => mirror.uri !== channel || mirror.reflectedSeq >= seq);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (members.every(isThere)) resolve();
      else setTimeout(look, 20);
    };
    look();
  });
  const histories = new Set(members.map(({ seen }) => digest(seen.join())));
  const counts = members.map(({ seen }) => seen.length);
  const states: Record<string, string[]> = {};
  for (const { uri } of members[0]?.mirrors ?? []) {
    const all = members.flatMap(({ mirrors }) => mirrors.filter((mirror) => mirror.uri === uri));
    states[uri] = [...new Set(all.map(({ confirmed }) => JSON.stringify(confirmed)))];
  }
  const state: CrowdState = {
    histories: histories.size,
    seen: { least: Math.min(...counts), most: Math.max(...counts) },
    states,
    returns,
  };
  returns = {};
  for (const { seen } of members) seen.length = 0;
  return state;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

serve(answer, () => {
  for (const { client } of members) client.close();
});
