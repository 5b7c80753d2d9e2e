import { expect, test } from 'vitest';
import { checkListen } from './listen-rules.ts';

test('a port that browsers refuse to connect to is refused', () => {
  const refused = expect.objectContaining({
    code: 'blocked-port',
    message: expect.stringContaining('port 6000 belongs to another protocol'),
  });
  expect(() => checkListen({ port: 6000 })).toThrow(refused);
  expect(() => checkListen({ port: 6001 })).not.toThrow();
  expect(() => checkListen({})).not.toThrow();
});
