// The MCP servers of a session in the page: allowed, signed in to in another tab, stopped and started.

import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { authorizationServer, remoteServer } from '@agenthost/testkit/mcp';
import { afterAll, describe, expect, test } from 'vitest';
import { VIEW_DOMAINS } from '../../packages/host/test/mcp-view.ts';
import { hasChromium } from '../access/chromium.ts';
import { ALL_RULES, violationsOf } from './axe.ts';
import { PHONE, stageOfFile } from './stage.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/host/test/mcp-program.ts', import.meta.url));

/** As long as the browser waits for an element. */
const PATIENT = { timeout: 20_000 };

describe.skipIf(!hasChromium)('MCP servers in the page', () => {
  const leaked: string[] = [];
  const outside = createServer((request, response) => {
    leaked.push(request.url ?? '');
    response.end('leaked');
  });
  let leak = '';
  const stage = stageOfFile(async () => {
    await new Promise<void>((done) => void outside.listen(0, '127.0.0.1', done));
    const address = outside.address();
    leak = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    return {
      mcpServers: {
        own: { command: process.execPath, args: [PROGRAM] },
        shown: { command: process.execPath, args: [PROGRAM, `--view=${leak}`] },
      },
    };
  });
  afterAll(() => void outside.close());

  test('[MCP-1] [MCP-20] a person allows a server of the project, signs in to it, and stops and starts one of the host', async () => {
    const remote = await remoteServer();
    await authorizationServer(remote);
    const project = { mcpServers: { far: { url: remote.url } } };
    writeFileSync(join(stage().folder, 'work/.mcp.json'), JSON.stringify(project));
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'MCP servers' }).click();
    const dialog = page.getByRole('dialog', { name: 'MCP servers' });
    const row = (name: string) => dialog.getByRole('listitem').filter({ hasText: name }).first();
    await row('own').getByText('Ready').waitFor();
    await dialog.getByText('11 tools').click();
    await dialog.getByText('own__echo', { exact: true }).waitFor();
    await row('far').getByText('Nobody has allowed it yet.').waitFor();
    await dialog.getByRole('button', { name: 'Allow: far' }).click();
    await row('far').getByText('Needs a sign-in').waitFor();
    await stage().picture(page, 'mcp-servers');
    expect(await violationsOf(page, ALL_RULES)).toEqual([]);
    const opened = page.context().waitForEvent('page');
    await dialog.getByRole('button', { name: 'Sign in: far' }).click();
    const tab = await opened;
    await tab.getByText('You can close this window. The page that you came from continues.').waitFor();
    expect(new URL(tab.url()).search).toBe('');
    await row('far').getByText('Ready').waitFor();
    await dialog.getByRole('button', { name: 'Stop: own' }).click();
    await row('own').getByText('Stopped').waitFor();
    await dialog.getByRole('button', { name: 'Start: own' }).click();
    await row('own').getByText('Ready').waitFor();

    const phone = await stage().open(path, {
      context: await stage().context({ ...PHONE, colorScheme: 'dark' }),
    });
    await phone.getByRole('button', { name: 'Session actions' }).click();
    await phone.getByRole('menuitem', { name: 'MCP servers' }).click();
    await phone.getByRole('dialog').getByText('own', { exact: true }).waitFor();
    await stage().picture(phone, 'mcp-servers-phone');
    // The next session asks about nothing.
    rmSync(join(stage().folder, 'work/.mcp.json'));
  });

  test('[MCP-2] the view of a tool shows its call in a frame, reaches only its server, and asks before it changes something', async () => {
    const client = await stage().client();
    const { path } = await stage().session(client, 'tool shown__panel {"city":"Rome"}');
    const context = await stage().context();
    const reached: string[] = [];
    await context.route('https://*.example.org/**', (route) => {
      reached.push(route.request().url());
      return route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      });
    });
    const page = await stage().open(path, { context });
    const view = page.frameLocator('iframe[title="View of shown"]');
    await view.getByRole('heading', { name: 'Rome' }).waitFor();
    await view.getByText('Panel opened').waitFor();
    const found = view.getByText(/^echo /);
    await found.waitFor();
    expect(JSON.parse((await found.innerText()).replace('echo ', ''))).toEqual({
      reached: ['declared', 'picture'],
      kind: 'web',
      elsewhere: { resources: [{ uri: 'ui://test/panel', name: 'Panel' }] },
    });
    expect(reached).toEqual([`${VIEW_DOMAINS.connect}/fetch`, `${VIEW_DOMAINS.resource}/image`]);
    await page.getByText('This view can reach api.example.org, files.example.org').waitFor();
    await view.getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('group', { name: 'The view wants to run remove' });
    await question.waitFor();
    await stage().picture(page, 'mcp-view');
    expect(await violationsOf(page, ALL_RULES)).toEqual([]);
    await question.getByRole('button', { name: 'Deny' }).click();
    await view.getByText('the person has refused the call').waitFor();
    await view.getByRole('button', { name: 'Remove' }).click();
    await question.getByRole('button', { name: 'Allow once' }).click();
    await view.getByText('remove {}').waitFor();
    // A frame that leaves is an empty one.
    await view.getByRole('button', { name: 'Leave' }).click();
    await view.getByRole('heading', { name: 'Rome' }).waitFor({ state: 'detached' });
    expect(leaked).toEqual([]);
    // What the browser has refused. It reports the request for the image too, which it has not sent.
    const known = /Content Security Policy|sandbox|Unsafe attempt|^request to .*\/(?:image|fetch)$/;
    expect(
      stage()
        .faults.splice(0)
        .filter((fault) => !known.test(fault)),
    ).toEqual([]);

    const phone = await stage().open(path, {
      context: await stage().context({ ...PHONE, colorScheme: 'dark' }),
    });
    await phone
      .frameLocator('iframe')
      .getByText(/^echo /)
      .waitFor();
    await phone.frameLocator('iframe').getByRole('button', { name: 'Remove' }).click();
    await phone.getByRole('group', { name: 'The view wants to run remove' }).waitFor();
    await stage().picture(phone, 'mcp-view-phone');
    stage().faults.splice(0);
  });

  test('[MCP-2] a view opens pages, writes and adds context as a person allows, follows the page, and ends in order', async () => {
    const { path } = await stage().session(await stage().client(), 'tool shown__panel {"city":"Oslo"}');
    const page = await stage().open(path);
    const view = page.frameLocator('iframe[title="View of shown"]');
    // The transcript scrolls, which moves the frame away from the pointer.
    const press = (name: string): Promise<void> =>
      view.getByRole('button', { name, exact: true }).dispatchEvent('click');
    await view.getByText(/^echo /).waitFor();
    await press('Bad link');
    await view.getByText('-32602').waitFor();
    expect(await page.getByRole('group', { name: /^The view wants/ }).count()).toBe(0);

    await press('Link');
    const link = page.getByRole('group', { name: 'The view wants to open a page' });
    await link.getByText(`${leak}/opened?from=view`, { exact: true }).waitFor();
    await stage().picture(page, 'mcp-view-link');
    const opened = page.context().waitForEvent('page');
    await link.getByRole('button', { name: 'Open in a new tab' }).click();
    const tab = await opened;
    await tab.getByText('leaked').waitFor();
    expect(await tab.evaluate('window.opener === null')).toBe(true);
    expect(leaked.splice(0).filter((url) => url !== '/favicon.ico')).toEqual(['/opened?from=view']);
    await tab.close();

    await press('Write');
    const message = page.getByRole('group', { name: 'The view wants to write a message' });
    await message.getByText('!rm -rf ⟨U+202E⟩/', { exact: true }).waitFor();
    expect(await violationsOf(page, ALL_RULES)).toEqual([]);
    const field = page.getByRole('textbox', { name: 'Message' });
    expect(await field.inputValue()).toBe('');
    await message.getByRole('button', { name: 'Put into the message field' }).click();
    await view.getByText('{}', { exact: true }).waitFor();
    // What a view writes is no command of the terminal.
    expect(await field.inputValue()).toBe(' !rm -rf ⟨U+202E⟩/');
    await press('Add');
    const adding = page.getByRole('group', { name: 'The view wants to add to your next message' });
    await adding.getByText('"city": "Rome"').waitFor();
    await stage().picture(page, 'mcp-view-context');
    await adding.getByRole('button', { name: 'Allow in this view' }).click();
    const chip = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
    await chip.getByText('From the view of shown').waitFor();
    await press('Add');
    await view.getByText('{}', { exact: true }).waitFor();
    expect(await chip.count()).toBe(1);
    await field.fill('what is there?');
    await field.press('Enter');
    // The attachment of the message has the same name as the one in the field had.
    await page.getByText('what is there?', { exact: true }).first().waitFor();
    await page.getByText('From the view of shown').first().waitFor();

    await view.getByText(/^light true \S+/).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await view.getByText(/^dark true \S+/).waitFor();
    await page.setViewportSize({ width: 700, height: 900 });
    await view.getByText(/^dark true \S+/).waitFor();

    await page.setViewportSize({ width: 1280, height: 800 });

    await page.evaluate(`
      window.told = [];
      window.addEventListener('message', ({ data }) => void told.push(data.result?.saved));
    `);
    const hasSaved = (count: number) =>
      expect
        .poll(() => page.evaluate(`told.filter((each) => each === 'echo {"torn":true}').length`), PATIENT)
        .toBe(count);
    await press('End');
    await page.getByText('The view has closed itself.').waitFor();
    await hasSaved(1);
    await page.getByRole('button', { name: 'Show it again' }).click();
    await view.getByText(/^echo /).waitFor();
    // Its place leaves the page, and it saves before it goes.
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await hasSaved(2);
    await page.locator('iframe').waitFor({ state: 'detached' });
    stage().faults.splice(0);
  });
});
