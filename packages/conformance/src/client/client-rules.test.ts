import { expect, test } from 'vitest';
import type { FrameEntry } from '../recording/entry.ts';
import { CLIENT_RULES } from './client-rules.ts';

const ROOT = { channel: 'ahp-root://' };
const frame = (direction: FrameEntry['direction'], message: object): FrameEntry => ({
  timeMs: 0,
  connection: 1,
  direction,
  message: { jsonrpc: '2.0', ...message },
});
const out = (message: object) => frame('client-to-host', message);
const back = (message: object) => frame('host-to-client', message);
const dispatch = (clientSeq: number, type = 'session/titleChanged') =>
  out({ method: 'dispatchAction', params: { channel: 'ahp-session:/s', clientSeq, action: { type } } });

const HANDSHAKE = [
  out({ id: 1, method: 'initialize', params: ROOT }),
  back({ id: 1, result: { serverSeq: 0 } }),
];

const brokenBy = (frames: readonly FrameEntry[]) =>
  CLIENT_RULES.filter((rule) => rule.broken([...HANDSHAKE, ...frames]) !== undefined).flatMap(
    ({ rules }) => rules,
  );

test('a client that keeps the rules breaks none, nor does VS Code with its settings under 0', () => {
  const settings = dispatch(0, 'root/configChanged');
  const asked = back({ id: 'h1', method: 'resourceRead', params: ROOT });
  const answer = out({ id: 'h1', error: { code: -32000, message: 'no' } });
  expect(brokenBy([settings, settings, dispatch(1), settings, dispatch(2), asked, answer])).toEqual([]);
});

test.each([
  ['WIRE-1', [out({ jsonrpc: '1.0', method: 'unsubscribe', params: ROOT })]],
  ['WIRE-2', [out({ method: 'unsubscribe', params: {} })]],
  ['CONN-3', [out({ id: 2, method: 'initialize', params: ROOT })]],
  ['ACT-5', [dispatch(2), dispatch(2)]],
  ['ACT-5', [dispatch(1.5)]],
  [
    'ACT-3',
    [
      back({
        method: 'action',
        params: { ...ROOT, action: { type: 'session/ready' }, rejectionReason: 'no' },
      }),
    ],
  ],
  [
    'WIRE-3',
    [
      out({ id: 5, method: 'subscribe', params: ROOT }),
      back({ id: 5, error: { code: -32602, message: 'bad' } }),
    ],
  ],
  ['RES-4', [out({ id: 'h9', result: {} })]],
])('[%s] a client that breaks the rule is found', (rule, frames) => {
  expect(brokenBy(frames)).toContain(rule);
});

test('[WIRE-4] a request before the answer to the handshake is found', () => {
  const early = [
    out({ id: 1, method: 'initialize', params: ROOT }),
    out({ id: 2, method: 'listSessions', params: ROOT }),
  ];
  expect(CLIENT_RULES.find(({ rules }) => rules.includes('WIRE-4'))?.broken(early)?.reason).toContain(
    'listSessions',
  );
});
