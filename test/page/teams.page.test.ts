// People: a sign-in with OpenID Connect, a session that is shared with a person, and who wrote what.
import { afterAll, describe, expect, test } from 'vitest';
import { OidcProvider } from '../../packages/host/test/oidc-provider.ts';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf } from './acts.ts';
import { violationsOf } from './axe.ts';
import { PHONE, stageOfFile } from './stage.ts';

const PERSON = 'Ada Lovelace';

describe.skipIf(!hasChromium)('people on the page', () => {
  let provider: OidcProvider | undefined;
  const stage = stageOfFile(async () => {
    provider = await OidcProvider.start();
    const rules = [{ email: 'ada@example.org', scope: 'none', person: PERSON }];
    return { oidc: { issuer: provider.issuer, clientId: 'agenthost', name: 'Example', rules } };
  });
  afterAll(() => provider?.stop());

  test('a person signs in with the provider, and works in the session that is shared, live', async () => {
    stage().allow(provider?.issuer ?? '');
    const owner = await stage().client();
    const { uri, path } = await stage().session(owner, 'title Shared work; say Hello');
    await stage().session(owner, 'title Private work; say Secret');
    const page = await (await stage().context({ ...PHONE, colorScheme: 'dark' })).newPage();
    stage().watch(page);
    await page.goto(stage().origin);
    const link = page.getByRole('link', { name: 'Sign in with Example' });
    await link.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await stage().picture(page, 'teams-sign-in');
    await link.click();
    await page.getByRole('main').waitFor();
    await page.getByRole('heading', { name: 'No session yet' }).waitFor();
    await stage().picture(page, 'teams-guest-empty');
    await owner.tokens.setRole(uri, PERSON, 'interact');
    await page.getByText('Shared work').first().click();
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Attach files' }).waitFor();
    // The host would refuse it.
    expect(await page.getByRole('menuitem', { name: 'Attach another chat' }).count()).toBe(0);
    await stage().picture(page, 'teams-guest-attach');
    await page.keyboard.press('Escape');
    await fieldOf(page).fill('say From Ada');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await messagesOf(page).getByText('From Ada', { exact: true }).waitFor();
    await stage().picture(page, 'teams-guest-chat');
    expect(await page.getByText('Private work').count()).toBe(0);
    const other = await stage().open(path);
    await messagesOf(other).getByText(PERSON, { exact: true }).waitFor();
    await stage().picture(other, 'teams-owner-chat');
    await owner.tokens.setRole(uri, PERSON);
    await expect.poll(() => page.getByText('From Ada', { exact: true }).count(), { timeout: 20_000 }).toBe(0);
  });

  test('an admin shares a session in the settings, and stops it', async () => {
    const owner = await stage().client();
    const { uri } = await stage().session(owner, 'title For review; say Hello');
    const page = await stage().open('/settings/access');
    await page.getByRole('button', { name: 'Share a session' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Session').selectOption({ label: 'For review' });
    await dialog.getByLabel('Person').fill(`  ${PERSON} `);
    await dialog.getByLabel('Role').selectOption('Work');
    expect(await violationsOf(page)).toEqual([]);
    await stage().picture(page, 'teams-share');
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    const stop = page.getByRole('button', { name: `Stop sharing For review with ${PERSON}` });
    await stop.waitFor();
    await stage().picture(page, 'teams-settings');
    expect(await owner.tokens.listRoles(uri)).toMatchObject([{ person: PERSON, role: 'interact' }]);
    await stop.click();
    await stop.waitFor({ state: 'detached' });
    expect(await owner.tokens.listRoles(uri)).toEqual([]);
  });
});
