import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findPrograms,
  TestServer,
} from '../../packages/host/src/journal/postgres/postgres-server-fixture.ts';
import { hasChromium, launchChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf } from '../page/acts.ts';
import { removeFolder } from '../remove-folder.ts';
import { ProgramProcess } from './program-process.ts';

const programs = findPrograms();

describe.skipIf(programs === undefined || !hasChromium)(
  'the page behind a gateway (needs Chromium, and initdb in PATH or /usr/lib/postgresql/*/bin)',
  () => {
    let server: TestServer;
    let browser: Browser | undefined;
    let folder = '';
    let gatewayUrl = '';
    const token = randomBytes(32).toString('base64url');
    const running: ProgramProcess[] = [];

    const start = (...args: string[]): ProgramProcess => {
      const program = new ProgramProcess(folder, [...args, '--token-file', join(folder, 'token')]);
      running.push(program);
      return program;
    };
    const serve = (): ProgramProcess =>
      start(
        ...['serve', '--json', '--port', '0', '--root', folder, '--data', join(folder, 'data')],
        ...['--no-keeper', '--trust-proxy', '--journal', `${server.url}&cell=team-a`],
      );

    beforeAll(async () => {
      if (programs === undefined || !hasChromium) return;
      server = await TestServer.start(programs);
      folder = mkdtempSync(join(tmpdir(), 'agenthost-gateway-page-'));
      writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
      const gateway = start('gateway', 'serve', '--json', '--port', '0', '--journal', server.url);
      gatewayUrl = (await gateway.ready).url;
      browser = await launchChromium();
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await Promise.all(running.map((program) => program.end('SIGKILL')));
      await server?.stop();
      if (folder !== '') await removeFolder(folder);
    }, 60_000);

    test('a browser signs in at the gateway, works in a session, and goes on when another process holds the cell', async () => {
      const host = serve();
      await host.ready;
      const client = await connect(`${gatewayUrl}/h/team-a/ahp`, { token });
      const session = await client.sessions.create({ provider: 'demo' });
      await session.prompt('title Behind a gateway; say Hello').result;
      const { uri } = session;
      client.close();

      const context = await browser?.newContext({ locale: 'en-US' });
      // A busy machine loads the page slowly.
      context?.setDefaultTimeout(60_000);
      const page = await context?.newPage();
      if (page === undefined) throw new Error('there is no browser');
      await page.goto(gatewayUrl);
      await page.getByLabel('Token of the gateway').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Behind a gateway' }).waitFor();
      await page.getByRole('link', { name: 'team-a' }).click();
      await page.getByText('Behind a gateway').first().waitFor();
      expect(new URL(page.url()).pathname).toBe('/h/team-a/');
      await page.goto(`${gatewayUrl}/h/team-a/s/${encodeURIComponent(uri)}`);
      await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
      await fieldOf(page).fill('say Again');
      await page.keyboard.press('Enter');
      await messagesOf(page).getByText('Again', { exact: true }).waitFor();

      await host.end('SIGKILL');
      await serve().ready;
      await fieldOf(page).fill('say Still here');
      await page.keyboard.press('Enter');
      await messagesOf(page).getByText('Still here', { exact: true }).waitFor({ timeout: 60_000 });
      await context?.close();
    }, 240_000);
  },
);
