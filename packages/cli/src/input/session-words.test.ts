import { expect, test } from 'vitest';
import { collectSessions } from './session-words.ts';

async function* listed(...ids: string[]) {
  for (const id of ids) yield { resource: `ahp-session:/${id}`, title: `title of ${id}` };
}

test('ids that mean more than a word to a shell are not offered', async () => {
  const hostile = [
    '`reboot`',
    '$(id)',
    'a;b',
    'a b',
    "a'b",
    'a\nb',
    '-rf',
    '--all',
    '~root',
    '*',
    '!1',
    'a|b',
    'ä&',
    '',
  ];
  const found: { word: string; description: string }[] = [];
  await collectSessions(listed(...hostile, '4f2a91c0-1', 'plain_1.'), '', found);
  expect(found).toEqual([
    { word: '4f2a91c0', description: 'title of 4f2a91c0-1' },
    { word: 'plain_1.', description: 'title of plain_1.' },
  ]);
});

test('only the newest sessions are looked at', async () => {
  const found: { word: string; description: string }[] = [];
  const many = Array.from({ length: 2_000 }, (_, index) => `s${index}`);
  let read = 0;
  async function* counted() {
    for await (const session of listed(...many)) {
      read += 1;
      yield session;
    }
  }
  await collectSessions(counted(), 'none', found);
  expect([read, found]).toEqual([300, []]);
  await collectSessions(listed(...many), 's', found);
  expect(found).toHaveLength(30);
});
