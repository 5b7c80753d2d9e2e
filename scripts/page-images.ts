// Takes the pictures of the page that the documentation shows, from a host with the demo agent. With `--all <folder>` it writes
// PNG pictures of all views in all forms into that folder instead; `--only <name>` limits it to views whose name begins with that.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pageFolder } from '@agenthost/web';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../test/access/chromium.ts';
import { hardSessions, hardViews } from './images/hard-content.ts';
import { asWebp } from './images/small-picture.ts';
import { type ImageStage, startStage } from './images/stage.ts';
import { FORMS, type Form, VIEWS } from './images/views.ts';

const { values } = parseArgs({
  options: {
    all: { type: 'string' },
    only: { type: 'string', default: '' },
    /** Folder of the built page. */
    page: { type: 'string', default: pageFolder },
  },
});
const docs = join(import.meta.dirname, '..', 'docs/images');
const formNames: readonly Form[] = ['light', 'dark', 'phone'];

/** Time for fonts, highlighting and the terminal's renderer after a view has loaded. */
const SETTLE_MS = 1_000;

/** Opens a browser of this form, signed in. */
async function opened(browser: Browser, form: Form, { origin, token }: ImageStage): Promise<Page> {
  const page = await (await browser.newContext(FORMS[form])).newPage();
  page.on('pageerror', (error) => console.error(`${form}: ${error.message}`));
  await page.goto(`${origin}/?token=${token}`);
  await page.getByRole('link', { name: 'Terminals' }).locator('visible=true').first().waitFor();
  return page;
}

if (!existsSync(join(values.page, 'index.html'))) throw new Error('the page is not built: run npm run build');
const folder = values.all ?? docs;
const isForDocs = values.all === undefined;
await mkdir(folder, { recursive: true });
const stage = await startStage(values.page, isForDocs ? [] : hardSessions);
const browser = await launchChromium();
try {
  const empty = await browser.newPage();
  const views = isForDocs ? VIEWS : [...VIEWS, ...hardViews];
  for (const form of formNames) {
    const page = await opened(browser, form, stage);
    for (const view of views.filter(({ name }) => name.startsWith(values.only))) {
      if (isForDocs && view.shown?.includes(form) !== true) continue;
      await page.goto(stage.origin + view.path(stage));
      await page.waitForTimeout(SETTLE_MS);
      await view.act?.(page);
      const png = await page.screenshot();
      const file = join(folder, `${view.name}-${form}.${isForDocs ? 'webp' : 'png'}`);
      const data = isForDocs ? await asWebp(empty, png) : png;
      await writeFile(file, data);
      console.log(`${file}  ${Math.ceil(data.length / 1_024)} KiB`);
    }
    await page.context().close();
  }
} finally {
  await browser.close();
  await stage.stop();
}
