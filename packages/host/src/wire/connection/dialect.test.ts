import type { ActionEnvelope, StateAction } from '@agenthost/protocol';
import { describe, expect, test, vi } from 'vitest';
import { EncodedEnvelope } from '../../sync/subscription.ts';
import { Translator } from './dialect.ts';
import { batchOf } from './shared-envelopes.ts';

const CHAT = 'ahp-chat:/c1';

const envelopeOf = (action: StateAction): EncodedEnvelope => {
  const value: ActionEnvelope = { channel: CHAT, serverSeq: 7, action };
  return new EncodedEnvelope(value);
};

const client = (version: string, id: string): Translator =>
  new Translator(version, id, undefined, { now: () => 0, chatOfClaim: () => undefined });

/** Subscribers of several versions. */
const subscribers = (): Translator[] =>
  ['1.0.0', '0.9.0', '0.7.0', '0.5.2', '0.4.0'].flatMap((version) => [
    client(version, `${version}-a`),
    client(version, `${version}-b`),
  ]);

/** Sends an envelope to all, as outboxes do. Returns the number of encodings that were made. */
function encodings(encoded: EncodedEnvelope, to: readonly Translator[]): number {
  const stringify = vi.spyOn(JSON, 'stringify');
  const frames = new Set<unknown>();
  try {
    for (const translator of to) frames.add(batchOf(translator.envelopes(encoded)));
    expect(frames.size).toBe(stringify.mock.calls.length);
    return stringify.mock.calls.length;
  } finally {
    stringify.mockRestore();
  }
}

describe('[CONN-9] an envelope to many subscribers of several versions', () => {
  test.each<StateAction>([
    { type: 'chat/delta', turnId: 't1', partId: 'p1', content: 'word' },
    { type: 'terminal/data', data: 'line\r\n' },
    { type: 'terminal/input', data: 'x' },
    { type: 'session/titleChanged', title: 'A title' },
  ])('is encoded once when no version changes it: $type', (action) => {
    const encoded = envelopeOf(action);
    const all = subscribers();
    for (const translator of all) expect(translator.envelopes(encoded)).toEqual([encoded]);
    for (const translator of all) expect(translator.envelopes(encoded)[0]).toBe(encoded);
    expect(encodings(encoded, all)).toBe(1);
  });

  test('is encoded once for each version that changes it, however many subscribers have the version', () => {
    const encoded = envelopeOf({ type: 'chat/turnComplete', turnId: 't1', duration: 12 });
    const older = [client('0.5.2', 'a'), client('0.5.2', 'b'), client('0.5.2', 'c')];
    const present = [client('1.0.0', 'd'), client('1.0.0', 'e')];
    expect(older[0]?.envelopes(encoded)[0]).not.toBe(encoded);
    expect(older[0]?.envelopes(encoded)).toBe(older[1]?.envelopes(encoded));
    expect(encodings(encoded, [...older, ...present, ...older])).toBe(2);
  });
});
