// Access to files outside of the working directories: asked by a program, answered on the page.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('access to other files', () => {
  const stage = stageOfFile();

  test('[RES-2] a request waits above all views of all administrators, and is allowed, listed and revoked there', async () => {
    const owner = await stage().client();
    const { secret: token } = await owner.tokens.create({ scope: 'interact', name: 'notes' });
    const program = await stage().client('Notes App', token);
    const folder = join(stage().folder, 'notes');
    await mkdir(folder);
    await writeFile(join(folder, 'a.md'), 'a note');
    const file = pathToFileURL(join(folder, 'a.md')).href;
    const uri = pathToFileURL(folder).href;
    const [one, two] = [await stage().open('/'), await stage().open('/settings/access')];
    const observer = await stage().open('/', { token });

    const denied = program.files.request(uri, { read: true, write: true }).catch((error: Error) => error);
    const line = one.getByRole('alert').filter({ hasText: 'Notes App asks to read and change' });
    await line.getByText(folder).waitFor();
    await two.getByRole('alert').filter({ hasText: 'Notes App' }).waitFor();
    expect(await observer.getByText('Notes App asks').count()).toBe(0);
    await line.getByRole('button', { name: 'Deny' }).click();
    expect(await denied).toMatchObject({ code: -32009 });
    await two.getByRole('alert').filter({ hasText: 'Notes App' }).waitFor({ state: 'detached' });

    const granted = program.files.request(uri, { read: true });
    await one
      .getByRole('alert')
      .filter({ hasText: /Notes App asks to read/ })
      .getByRole('button', { name: 'Allow' })
      .click();
    await granted;
    expect((await program.files.read(file)).text).toBe('a note');

    const entry = two.getByRole('list', { name: 'Access to other files' }).getByRole('listitem');
    await entry.getByText(folder).waitFor();
    await entry.getByRole('button', { name: 'Revoke' }).click();
    await two.getByText('No access granted').waitFor();
    await expect(program.files.read(file)).rejects.toMatchObject({ code: -32009 });
  });
});
