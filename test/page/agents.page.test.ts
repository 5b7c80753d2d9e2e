// The agents in the settings: the key of an agent over a model API, an agent from a package, and its sign-in.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT_URI } from '@agenthost/protocol';
import { OAuthServer } from '@agenthost/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf, visit } from './acts.ts';
import { violationsOf } from './axe.ts';
import { PHONE, sessionPath, stageOfFile } from './stage.ts';

const KEY = 'key-of-the-test';
const closings: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closings.map((close) => close())));

/** A model API that lists its models to those who have the key. */
async function modelApi(): Promise<string> {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${KEY}`;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isKnown ? { data: [{ id: 'small' }, { id: 'large', name: 'Large one' }] } : {}),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the API has no port');
  return `http://127.0.0.1:${address.port}/v1`;
}

/** A package with an agent that needs a token. */
async function agentPackage(server: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-package-'));
  closings.push(() => rm(folder, { recursive: true, force: true }));
  const manifest = { name: '@me/recipes', version: '2.1.0', type: 'module', exports: './index.js' };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const resource = {
    resource: 'https://recipes.example',
    resource_name: 'Recipes',
    authorization_servers: [server],
    scopes_supported: ['read'],
  };
  await writeFile(
    join(folder, 'index.js'),
    `export const createProvider = ({ id }) => ({
      id,
      describe: () => ({ provider: id, displayName: 'Cook', description: 'Cooks', models: [], protectedResources: [${JSON.stringify(resource)}] }),
      availability: async () => ({ available: true }),
      authenticate: async () => undefined,
      openSession: async () => ({ runTurn: async (_, output) => output.markdown('Soup'), close: async () => undefined, terminate: async () => undefined }),
      dispose: async () => undefined,
    });`,
  );
  return folder;
}

describe.skipIf(!hasChromium)('agents in the settings', () => {
  const stage = stageOfFile(async () => {
    const server = await OAuthServer.start();
    closings.push(() => server.close());
    return {
      agents: {
        mine: { kind: 'model', api: 'openai', baseUrl: await modelApi(), displayName: 'My models' },
        cook: { package: await agentPackage(server.url) },
      },
      defaultAgent: 'demo',
    };
  });

  test('[AUTH-2] stores a key without showing it, names a package, and signs in through a window of the browser', async () => {
    const page = await stage().open('/settings/agents');
    const entryOf = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();
    const mine = entryOf('My models');
    await mine.getByText('This agent has no key.').waitFor();
    await stage().picture(page, 'agents-laptop');
    await mine.getByRole('button', { name: 'Set a key' }).click();
    await mine.getByRole('button', { name: 'Store the key' }).click();
    await mine.getByText('Enter a key.').waitFor();
    await mine.getByLabel('Key of My models').fill('two words');
    await mine.getByRole('button', { name: 'Store the key' }).click();
    await mine.getByText('The key was not changed').waitFor();
    await mine.getByLabel('Key of My models').fill(KEY);
    await stage().picture(page, 'agents-key');
    await mine.getByRole('button', { name: 'Store the key' }).click();
    await mine.getByText('The host has stored a key for this agent.').waitFor();
    await mine.getByText('2 models').click();
    await mine.getByText('Large one').waitFor();
    expect(await page.content()).not.toContain(KEY);

    const cook = entryOf('Cook');
    await cook.getByText('Version 2.1.0 · Package @me/recipes').waitFor();
    await cook.getByText('Recipes', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await cook.getByRole('button', { name: 'Sign in with a code' }).click();
    await cook.getByText('ABCD-EFGH').waitFor();
    await cook.getByRole('button', { name: 'Cancel' }).click();
    await cook.getByRole('button', { name: 'Sign in with the browser' }).click();
    const opened = page.context().waitForEvent('page');
    await cook.getByRole('link', { name: 'Open the sign-in page' }).click();
    const popup = await opened;
    await popup.getByText('You can close this window.').waitFor();
    expect(new URL(popup.url()).search).toBe('');
    await stage().picture(popup, 'agents-back');
    await cook.getByText('Signed in to Recipes.').waitFor();
    expect(await cook.getByText('Needs a sign-in to').count()).toBe(0);
    await stage().picture(page, 'agents-signed-in');
    const key = mine.getByRole('button', { name: 'Remove the key' });
    await key.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the key' }).click();
    await mine.getByText('This agent has no key.').waitFor();
  });

  test('[AUTH-2] asks for the sign-in that a turn needs, and leads to it from the line, the failed turn and a new session', async () => {
    const context = await stage().context({ ...PHONE, colorScheme: 'dark' });
    const page = await stage().open('/new', { context });
    const chosen = page.getByRole('combobox', { name: 'Agent' });
    // The default agent of the host is not the first one.
    await expect.poll(() => chosen.inputValue()).toBe('demo');
    await chosen.selectOption({ label: 'Cook' });
    await page.getByRole('button', { name: 'Start session' }).click();
    const need = page.getByRole('alert').filter({ hasText: 'This agent needs a sign-in' });
    await need.getByRole('button', { name: 'Sign in to Recipes' }).waitFor();
    await stage().picture(page, 'agents-new-session');
    expect(await violationsOf(page)).toEqual([]);

    // The session of a client that has signed in, where this page has not.
    const client = await stage().client();
    const resource = 'https://recipes.example';
    await client.request('authenticate', { channel: ROOT_URI, resource, token: 'of-the-client' });
    const { uri } = await client.sessions.create({
      provider: 'cook',
      workingDirectories: [stage().workUri],
    });
    await visit(page, sessionPath(uri));
    await fieldOf(page).fill('Cook');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const line = page.getByRole('alert').filter({ hasText: 'Your agent needs you to sign in to Recipes.' });
    await line.waitFor();
    const again = () => messagesOf(page).getByText('Send again', { exact: true });
    await messagesOf(page).getByRole('button', { name: 'Sign in to Recipes' }).waitFor();
    await stage().picture(page, 'agents-asks-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    await line.getByRole('button', { name: 'Not now' }).click();
    await line.waitFor({ state: 'detached' });
    await again().click();
    await line.getByRole('button', { name: 'Sign in to Recipes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in to Recipes' });
    await stage().picture(page, 'agents-dialog-phone-dark');
    await dialog.getByRole('button', { name: 'Sign in with the browser' }).click();
    const opened = context.waitForEvent('page');
    await dialog.getByRole('link', { name: 'Open the sign-in page' }).click();
    await (await opened).getByText('You can close this window.').waitFor();
    await page.getByText('Signed in to Recipes.').waitFor();
    expect([await line.count(), await dialog.count()]).toEqual([0, 0]);
    await again().click();
    await messagesOf(page).getByText('Soup').waitFor();
  });

  test('fits a phone in the dark, and lets nobody but administrators set a key', async () => {
    const owner = await stage().client();
    const { secret: token } = await owner.tokens.create({ scope: 'interact' });
    const context = await stage().context({ ...PHONE, colorScheme: 'dark' });
    const page = await stage().open('/settings/agents', { context, token });
    await page.getByText('Only administrators can set the key.').waitFor();
    expect(await page.getByRole('button', { name: 'Set a key' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign in with a code' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.getByText('Only administrators can set the key.').scrollIntoViewIfNeeded();
    await stage().picture(page, 'agents-phone-dark');
    await page.getByRole('button', { name: 'Sign in with a code' }).scrollIntoViewIfNeeded();
    await stage().picture(page, 'agents-phone-dark-2');
  });
});
