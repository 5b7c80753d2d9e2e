import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient, RpcError } from '@agenthost/client';
import { ErrorCodes } from '@agenthost/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { signInsFile } from '../process/files.ts';
import { sshAddress } from './ssh-address.ts';
import { passSignIns, type SignInTarget, storeSignIn } from './stored-sign-ins.ts';

const HERE: SignInTarget = { url: 'http://127.0.0.1:4711', isOwn: true };

const at = (url: string): SignInTarget => ({ url, isOwn: false });
const ssh = (url: string, more: { data?: string; command?: string } = {}): SignInTarget => ({
  url,
  isOwn: false,
  ssh: { ...sshAddress(url), starts: false, env: {}, ...more },
});

function setUp(): { context: FakeContext; stored: () => unknown } {
  const folder = mkdtempSync(join(tmpdir(), 'sign-ins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const context = new FakeContext();
  context.env['XDG_STATE_HOME'] = folder;
  return { context, stored: () => JSON.parse(readFileSync(signInsFile(context), 'utf8')) };
}

/** Connects to a host that answers each token with `answer`. The tokens that it got, and the lines for the user. */
async function passed(
  context: FakeContext,
  target: SignInTarget,
  answer: () => Promise<unknown> = async () => ({}),
): Promise<{ tokens: string[]; notes: string[] }> {
  const [tokens, notes]: string[][] = [[], []];
  const client = createClient({ clientId: 'c', transport: () => new Promise(() => undefined) });
  const request = (_method: string, { token }: { readonly token: string }): Promise<unknown> => {
    tokens?.push(token);
    return answer();
  };
  await passSignIns(context, target, Object.assign(client, { request }), (line) => notes?.push(line));
  client.close();
  return { tokens: tokens ?? [], notes: notes ?? [] };
}

test('[AUTH-2] a token that the host refuses is removed, and those that are stored meanwhile stay', async () => {
  const { context, stored } = setUp();
  await storeSignIn(context, HERE, { resource: 'https://old.example', token: 'old' });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await passed(context, HERE, async () => {
    // Other commands sign in while the host answers.
    const each = names.map((name) =>
      storeSignIn(context, HERE, { resource: `https://${name}`, token: name }),
    );
    await Promise.all(each);
    throw new RpcError(ErrorCodes.AuthRequired, 'refused');
  });
  const host = 'ws://127.0.0.1:4711/ahp';
  const expected = names.map((name) => ({ host, resource: `https://${name}`, token: name }));
  expect(stored()).toHaveLength(names.length);
  expect(stored()).toEqual(expect.arrayContaining(expected));
});

test('[AUTH-2] hosts that share an address do not get the tokens of each other', async () => {
  const { context } = setUp();
  const targets: readonly SignInTarget[] = [
    at('https://gateway.example/h/a/ahp'),
    at('https://gateway.example/h/b/ahp'),
    at('https://build'),
    at('http://build'),
    ssh('ssh://build'),
    ssh('ssh://alice@build'),
    ssh('ssh://bob@build'),
    ssh('ssh://bob@build:2222'),
    ssh('ssh://bob@build', { data: '/srv/one' }),
    ssh('ssh://bob@build', { data: '/srv/two' }),
    ssh('ssh://bob@build', { command: 'docker exec one agenthost' }),
  ];
  for (const [index, target] of targets.entries())
    await storeSignIn(context, target, { resource: 'https://x.example', token: `token ${index}` });
  for (const [index, target] of targets.entries())
    expect(await passed(context, target)).toEqual({ tokens: [`token ${index}`], notes: [] });
  const sameHost = await passed(context, at('wss://build/ahp?token=secret'));
  expect(sameHost.tokens, 'other words for the same address').toEqual(['token 2']);
});

test('[AUTH-2] tokens of the former format are used on this machine; elsewhere, where several hosts share one, they are removed and told', async () => {
  const { context, stored } = setUp();
  const resource = 'https://x.example';
  mkdirSync(dirname(signInsFile(context)), { recursive: true });
  const former = ['127.0.0.1:4711', 'build', 'gateway.example'].map((host) => ({
    host,
    resource,
    token: host,
  }));
  writeFileSync(signInsFile(context), JSON.stringify(former));
  expect(await passed(context, HERE)).toEqual({ tokens: ['127.0.0.1:4711'], notes: [] });
  expect(await passed(context, at('https://gateway.example/h/a/ahp'))).toEqual({
    tokens: [],
    notes: [expect.stringContaining('removed 1 stored sign-in of gateway.example')],
  });
  expect((await passed(context, ssh('ssh://bob@build'))).tokens).toEqual([]);
  expect(await passed(context, ssh('ssh://alice@build'))).toEqual({ tokens: [], notes: [] });
  await storeSignIn(context, HERE, { resource, token: 'new' });
  expect(stored()).toEqual([{ host: 'ws://127.0.0.1:4711/ahp', resource, token: 'new' }]);
});
