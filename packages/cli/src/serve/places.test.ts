import { expect, test } from 'vitest';
import { checkName } from './places.ts';

const failing = (code: string) => async (): Promise<never> => {
  throw Object.assign(new Error(code), { code, syscall: 'getaddrinfo' });
};

test.each(['ENOTFOUND', 'EINVAL'])('an invalid --host (%s) is wrong usage', async (code) => {
  await expect(checkName('nowhere.example', failing(code))).rejects.toMatchObject({
    exitCode: 2,
    message: '--host nowhere.example: the name does not exist; use an address of this machine',
  });
});

test.each(['EAI_AGAIN', 'EAI_FAIL', 'EMFILE', 'ENOMEM'])(
  'a --host that cannot be looked up now (%s) is not said to be no name: listening tells',
  async (code) => {
    await expect(checkName('somewhere.example', failing(code))).resolves.toBeUndefined();
  },
);

test('an address is not looked up', async () => {
  await expect(checkName('127.0.0.1', failing('ENOTFOUND'))).resolves.toBeUndefined();
});
