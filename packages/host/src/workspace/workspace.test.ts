import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { PrivatePaths } from './private-paths.ts';
import { checkWorkingDirectory } from './workspace.ts';

const caller = { isAdmin: false, privatePaths: new PrivatePaths([]) };
const elsewhere = pathToFileURL(tmpdir()).href;

test('[SESS-1] a refusal of a folder outside names the allowed folders', async () => {
  await expect(checkWorkingDirectory(elsewhere, ['/opt/a', '/opt/b'], caller)).rejects.toMatchObject({
    code: -32009,
    message: expect.stringContaining('choose one within /opt/a, /opt/b'),
  });
  await expect(checkWorkingDirectory(elsewhere, [], caller)).rejects.toMatchObject({
    code: -32009,
    message: expect.stringContaining('no folder but to tokens of scope admin'),
  });
});
