import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, RpcError } from '@agenthost/client';
import { ErrorCodes } from '@agenthost/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { signInsFile } from '../process/files.ts';
import { passSignIns, storeSignIn } from './stored-sign-ins.ts';

const HOST = 'ws://127.0.0.1:4711/ahp';

test('[AUTH-2] a token that the host refuses is removed, and one that is stored meanwhile stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sign-ins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const context = new FakeContext();
  context.env['XDG_STATE_HOME'] = folder;
  await storeSignIn(context, HOST, { resource: 'https://old.example', token: 'old' });
  const request = async (): Promise<never> => {
    // Another command signs in while the host answers.
    await storeSignIn(context, HOST, { resource: 'https://new.example', token: 'new' });
    throw new RpcError(ErrorCodes.AuthRequired, 'refused');
  };
  const client = createClient({ clientId: 'c', transport: () => new Promise(() => undefined) });
  await passSignIns(context, HOST, Object.assign(client, { request }));
  expect(JSON.parse(readFileSync(signInsFile(context), 'utf8'))).toEqual([
    { host: '127.0.0.1:4711', resource: 'https://new.example', token: 'new' },
  ]);
  client.close();
});
