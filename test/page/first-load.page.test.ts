// The size of what a browser loads before it shows the board.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pageFolder } from '@agenthost/web';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { PageStage, WITH_WORKER } from './stage.ts';

const MAX_KB = 250;

/** Compressed size in bytes. */
function gzipped(path: string): number {
  const file = join(pageFolder, path);
  return existsSync(`${file}.gz`)
    ? readFileSync(`${file}.gz`).byteLength
    : gzipSync(readFileSync(file)).byteLength;
}

describe.skipIf(!hasChromium)('the first load', () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.start();
  });
  afterAll(() => stage?.dispose());

  test(`is at most ${MAX_KB} kB of compressed files, and asks no other server`, async () => {
    const page = await (await stage.context(WITH_WORKER)).newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${stage.origin}/?token=${stage.token}`);
    await page.getByRole('heading', { name: 'No session yet' }).waitFor();
    const paths = asked
      .map((url) => new URL(url))
      .filter(({ pathname }) => /^\/(?:assets\/|$)/.test(pathname))
      .map(({ pathname }) => (pathname === '/' ? 'index.html' : pathname));
    const files = Array.from(new Set(paths));
    expect(files.length).toBeGreaterThan(3);
    const kb = files.reduce((sum, path) => sum + gzipped(path), 0) / 1_000;
    console.log(`first load: ${kb.toFixed(0)} kB in ${files.length} files`);
    expect(kb).toBeLessThan(MAX_KB);
    expect(asked.filter((url) => !url.startsWith(stage.origin))).toEqual([]);
  });
});
