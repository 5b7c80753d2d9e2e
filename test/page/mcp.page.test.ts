// The MCP servers of a session in the page: allowed, signed in to in another tab, stopped and started.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { authorizationServer } from '../../packages/host/test/mcp-authorization-server.ts';
import { remoteServer } from '../../packages/host/test/mcp-remote-server.ts';
import { hasChromium } from '../access/chromium.ts';
import { ALL_RULES, violationsOf } from './axe.ts';
import { PHONE, stageOfFile } from './stage.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/host/test/mcp-program.ts', import.meta.url));

describe.skipIf(!hasChromium)('MCP servers in the page', () => {
  const stage = stageOfFile({
    mcpServers: { own: { command: process.execPath, args: [PROGRAM] } },
  });

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
    await dialog.getByText('own__echo').waitFor();
    await row('far').getByText('Nobody has allowed it yet.').waitFor();
    await dialog.getByRole('button', { name: 'Allow: far' }).click();
    await row('far').getByText('Needs a sign-in').waitFor();
    await stage().picture(page, 'mcp-servers');
    expect(await violationsOf(page, ALL_RULES)).toEqual([]);
    const opened = page.context().waitForEvent('page');
    await dialog.getByRole('button', { name: 'Sign in: far' }).click();
    const tab = await opened;
    await tab.getByText('You can close this tab, and go back to the session.').waitFor();
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
  });
});
