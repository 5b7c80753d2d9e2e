import { expect, test } from 'vitest';
import { type Notice, payloadOf, tagOf } from './payload.ts';

const NOTICE: Notice = {
  kind: 'inputNeeded',
  host: 'desk',
  session: 'ahp-session:/s',
  chat: 'ahp-chat:/c',
  title: 'Title',
  body: 'Body',
  ask: 'ahp-chat:/c#call/1',
};

const sent = (notice: Partial<Notice>) => {
  const json = payloadOf({ ...NOTICE, ...notice });
  return { bytes: Buffer.byteLength(json), payload: JSON.parse(json) };
};

test('texts are one line without control and direction characters, and have limits', () => {
  const { payload } = sent({ title: 'a\u0000b\u202ec\nd', body: `\u{1f600}${'x'.repeat(400)}` });
  expect(payload.title).toBe('a b c d');
  expect(payload.body).toMatch(/^\u{1f600}x{197}…$/u);
});

test('a payload with the longest names stays below 3 kB', () => {
  const long = `ahp-session:/${'ä'.repeat(400)}`;
  for (const notice of [
    { ask: 'q'.repeat(3_000) },
    { chat: `ahp-chat:/${'c'.repeat(1_400)}`, body: 'ä'.repeat(200), ask: 'q'.repeat(500) },
    { session: long, title: '\u{1f600}'.repeat(200), body: '\u{1f600}'.repeat(200) },
    { session: `ahp-session:/${'s'.repeat(16_000)}` },
  ]) {
    const { bytes, payload } = sent(notice);
    expect(bytes).toBeLessThanOrEqual(3_000);
    expect(payload.tag).toBe(tagOf(notice.session ?? NOTICE.session));
  }
  expect(sent({ ask: 'q'.repeat(3_000) }).payload.url).toBe(
    `/s/${encodeURIComponent(NOTICE.session)}?chat=${encodeURIComponent(NOTICE.chat)}`,
  );
});
