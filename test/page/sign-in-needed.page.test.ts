// A tool call that waits for an access token: what is needed, giving it, and going on without it.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf } from './acts.ts';
import { violationsOf } from './axe.ts';
import { stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('a tool call that waits for a sign-in', () => {
  const stage = stageOfFile();

  test('says which resource needs a token, and goes on with one', async () => {
    const { path } = await stage().session(await stage().client(), 'signin');
    const page = await stage().open(path);
    const panel = messagesOf(page).getByRole('region', { name: 'Sign in to Recipes' });
    for (const text of [
      'https://recipes.example/mcp',
      'https://login.example',
      'recipes:read',
      'Recipes are for members.',
      '“Get a recipe” needs an access token.',
    ])
      await panel.getByText(text, { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Use this token' }).click();
    await panel.getByRole('alert').filter({ hasText: 'Enter an access token.' }).waitFor();
    await panel.getByLabel('Access token').fill('two words');
    await panel.getByRole('button', { name: 'Use this token' }).click();
    await panel.getByRole('alert').filter({ hasText: 'The token was not taken' }).waitFor();
    await panel.getByLabel('Access token').fill('a-token');
    await panel.getByRole('button', { name: 'Use this token' }).click();
    await messagesOf(page).getByText('Signed in. Rye bread').waitFor();
    expect(await panel.count()).toBe(0);
  });

  test('goes on without a token, from the overview as well', async () => {
    const client = await stage().client();
    const { uri } = await stage().session(client, 'title Members only; signin');
    const page = await stage().open();
    const card = page.getByRole('main').getByRole('article', { name: 'Members only' });
    const panel = card.getByRole('region', { name: 'Sign in to Recipes' });
    await panel.getByRole('button', { name: 'Continue without it' }).click();
    await card.waitFor({ state: 'detached' });
    const session = await client.sessions.open(uri);
    await expect
      .poll(() => JSON.stringify(session.chat.mirror.state.turns))
      .toContain('Not signed in, so there is no recipe.');
  });

  test('a worker’s is shown at its card, and a token that may only watch sees it without a field', async () => {
    const owner = await stage().client();
    const { path } = await stage().session(owner, 'delegate signin');
    const { secret: token } = await owner.tokens.create({ scope: 'observe' });
    const page = await stage().open(path, { token });
    const panel = messagesOf(page).getByRole('region', { name: 'Sign in to Recipes' });
    await panel.getByText('https://recipes.example/mcp', { exact: true }).waitFor();
    await panel.getByText('Read-only: somebody else has to answer.').waitFor();
    expect(await panel.getByRole('button').count()).toBe(0);
    expect(await panel.getByLabel('Access token').count()).toBe(0);
  });
});
