import { expect, test } from 'vitest';
import { readRefusedLink } from './refused-link.ts';

test('a refused link says whether the token was wrong or how long to wait', () => {
  expect(readRefusedLink('?refused=wrong')).toEqual({ kind: 'wrong' });
  expect(readRefusedLink('?refused=wait&waitMs=4000')).toEqual({ kind: 'wait', waitMs: 4_000 });
});

test('other addresses are no refused links', () => {
  for (const search of ['', '?chat=a', '?refused=else', '?refused=wait', '?refused=wait&waitMs=soon'])
    expect(readRefusedLink(search)).toBeUndefined();
});
