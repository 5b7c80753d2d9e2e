import type { ActionEnvelope } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppendEncoder, type TextAppend } from './text-append.ts';

const channel = 'ahp-chat:/"quoted"';

it('writes every append like JSON.stringify, whatever was written before', () => {
  const append: fc.Arbitrary<TextAppend> = fc.record({
    type: fc.constantFrom('chat/delta' as const, 'chat/reasoning' as const),
    turnId: fc.constantFrom('t', '"', 'another'),
    partId: fc.constantFrom('', 'm', '\ud83c', '漢'),
    content: fc.string({ unit: 'binary', maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(append, { minLength: 1, maxLength: 20 }), fc.nat(), (actions, time) => {
      const encoder = new AppendEncoder(channel);
      for (const [seq, action] of actions.entries()) {
        const envelope: ActionEnvelope = { channel, action, serverSeq: seq, 'x-time': time };
        expect(encoder.encode(action, seq, time)).toBe(JSON.stringify(envelope));
      }
    }),
  );
});

it('leaves an append with other fields to JSON.stringify', () => {
  const action = {
    type: 'chat/delta',
    turnId: 't',
    partId: 'm',
    content: 'x',
    _meta: { model: 'fast' },
  } satisfies TextAppend;
  expect(new AppendEncoder(channel).encode(action, 1, 2)).toBeUndefined();
});
