import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OAuthServer } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

const RESOURCE = 'https://recipes.example';
let machine: Machine;
let server: OAuthServer;

beforeAll(async () => {
  server = await OAuthServer.start();
  server.lifetimeSeconds = 3_600;
  machine = new Machine();
  const folder = join(machine.home, 'cook');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"cook","version":"1.0.0","type":"module"}');
  const resource = { resource: RESOURCE, authorization_servers: [server.url] };
  writeFileSync(
    join(folder, 'index.js'),
    `export const createProvider = ({ id }) => ({
      id,
      describe: () => ({ provider: id, displayName: 'Cook', description: '', models: [], protectedResources: [${JSON.stringify(resource)}] }),
      availability: async () => ({ available: true }),
      authenticate: async () => undefined,
      openSession: async () => ({ runTurn: async (_, output) => output.markdown('Soup'), close: async () => undefined, terminate: async () => undefined }),
      dispose: async () => undefined,
    });`,
  );
  mkdirSync(join(machine.home, '.config/agenthost'), { recursive: true });
  const config = { agents: { cook: { package: folder } }, defaultAgent: 'demo' };
  writeFileSync(join(machine.home, '.config/agenthost/agenthost.json'), JSON.stringify(config));
  await machine.serve();
});
afterAll(async () => {
  await machine.dispose();
  await server.close();
});

const tokenFile = () => join(machine.home, '.local/state/agenthost/sign-ins.json');

describe('[AUTH-2] login with a resource', () => {
  test('[AUTH-2] returns from the browser to this machine, and later commands have the token', async () => {
    const before = await machine.run(['agents', 'test', 'cook']);
    expect(before.code).toBe(1);
    expect(`${before.out}${before.err}`).toContain(RESOURCE);

    const login = machine.start(['login', RESOURCE, '--scope', 'read']);
    await login.until('open this page to sign in: ');
    await login.until('redirect_uri');
    const [, url = ''] = /sign in: (\S+)\n/.exec(login.err) ?? [];
    const wrong = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
    wrong.search = '?state=guess&code=x';
    expect((await fetch(wrong)).status).toBe(404);
    const page = await fetch(url);
    expect(await page.text()).toContain('You can close this window.');
    const ended = await login.ended;
    expect(ended).toMatchObject({ code: 0, out: `signed in to ${RESOURCE}\n` });
    expect(`${ended.out}${ended.err}`).not.toContain('access-1');

    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    expect(readFileSync(tokenFile(), 'utf8')).toContain('access-1');
    expect(await machine.run(['agents', 'test', 'cook'])).toMatchObject({ code: 0 });
  });

  test('[AUTH-2] says what the server or the host refuses', async () => {
    server.refusal = 'access_denied';
    const login = machine.start(['login', RESOURCE, '--print']);
    await login.until('redirect_uri');
    await login.until('\n');
    const [, url = ''] = /sign in: (\S+)\n/.exec(login.err) ?? [];
    await fetch(url);
    expect(await login.ended).toMatchObject({
      code: 1,
      err: expect.stringContaining('the sign-in failed: access_denied'),
    });
    const unknown = await machine.run(['login', 'https://other.example']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('expected a resource that an agent or a tool call needs a token for');
  });

  test('[AUTH-2] shows a code for another device', async () => {
    server.intervalSeconds = 1;
    const login = machine.start(['login', RESOURCE, '--device']);
    await login.until('enter the code ABCD-EFGH');
    server.agree();
    expect(await login.ended).toMatchObject({ code: 0, out: `signed in to ${RESOURCE}\n` });
    expect(readFileSync(tokenFile(), 'utf8')).toContain('access-2');
  });
});
