import { expect, test } from 'vitest';
import { readReturned } from './redirects.ts';

test('a redirect has a code, or the reason why there is none', () => {
  expect(readReturned('?state=a&code=b&iss=https%3A%2F%2Fc')).toEqual({
    id: 'a',
    code: 'b',
    iss: 'https://c',
  });
  expect(readReturned('?state=a&error=access_denied&error_description=No')).toEqual({
    id: 'a',
    error: 'access_denied: No',
  });
  expect(readReturned('?state=a')).toEqual({ id: 'a', error: 'no code' });
  expect(readReturned('?code=b')).toBeUndefined();
});
