import type { MessageAttachment } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { draftKey, draftOf, messageOf, partOf } from './draft-content.ts';

const file: MessageAttachment = { type: 'resource', label: 'b.ts', uri: 'file:///b.ts', _meta: { id: 7 } };

describe('a draft', () => {
  it('[CHAT-16] becomes a message with the ranges of its attachments, and metadata stays', () => {
    const text = 'first line\nsee @b.ts';
    const message = messageOf({ text, parts: [partOf(file, { start: 15, end: 20 })] }, {});
    expect(message.attachments).toEqual([
      { ...file, range: { start: { line: 1, character: 4 }, end: { line: 1, character: 9 } } },
    ]);
  });

  it('is the same again when its message is edited', () => {
    const text = 'a\n\n@b.ts';
    const message = messageOf({ text, parts: [partOf(file, { start: 3, end: 8 })] }, { model: { id: 'm' } });
    expect(messageOf(draftOf(message), { model: draftOf(message).model })).toEqual(message);
  });

  it('drops a range that its text does not have', () => {
    const range = { start: { line: 4, character: 0 }, end: { line: 4, character: 1 } };
    expect(
      draftOf({ text: 'a', origin: { kind: 'user' }, attachments: [{ ...file, range }] }).parts,
    ).toMatchObject([{ attachment: file }]);
  });

  it('is shared without large attachments', () => {
    const image = partOf({
      type: 'embeddedResource',
      label: 'x.png',
      contentType: 'image/png',
      data: 'A'.repeat(20_000),
    });
    expect(draftKey({ text: '', parts: [image] })).toBe('');
    expect(draftKey({ text: 'a', parts: [image] })).toBe(draftKey({ text: 'a', parts: [] }));
  });
});
