import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { SeededRandom } from '@agenthost/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { RudeClient } from '../hostile/rude-client.ts';
import { removeFolder } from '../remove-folder.ts';
import { HostProcess } from './host-process.ts';

const ROOT = 'ahp-root://';
const BYTES = 6 * 1024 * 1024;
const KILLS = 6;

test('[RES-3] a host that is killed during a write leaves the old content or the new one', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-writes-')));
  const work = join(base, 'work');
  mkdirSync(work);
  const host = new HostProcess(join(base, 'data'), work);
  onTestFinished(async () => {
    await host.stop();
    await removeFolder(base);
  });
  const path = join(work, 'file.txt');
  const uri = pathToFileURL(path).href;
  writeFileSync(path, 'a'.repeat(BYTES), { mode: 0o640 });
  const random = new SeededRandom(1);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await host.start();
    const client = await RudeClient.connect(host.address);
    await client.initialize('writer');
    if (kill === 0)
      await client.request('createSession', {
        channel: 'ahp-session:/one',
        provider: 'demo',
        workingDirectories: [pathToFileURL(work).href],
      });
    const write = (params: object) =>
      client.request('resourceWrite', { channel: ROOT, uri, encoding: 'utf-8', ...params });
    const letter = String.fromCharCode('b'.charCodeAt(0) + kill);
    expect((await write({ data: letter.repeat(BYTES) })).error).toBeUndefined();
    // One that replaces everything, and one of nothing in the middle, which copies the file.
    void write({ data: letter.toUpperCase().repeat(BYTES) });
    void write({ data: '', mode: 'insert', position: 1 });
    await delay(random.int(120));
    await host.kill();
    const text = readFileSync(path, 'utf8');
    expect(text.length).toBe(BYTES);
    expect([letter, letter.toUpperCase()]).toContain([...new Set(text)].join(''));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await client.close();
  }
  const left = readdirSync(work).filter((name) => name.endsWith('.tmp'));
  expect(left.every((name) => name.startsWith('.agenthost-'))).toBe(true);
  // One name for each file, and at most one more for a writer beside it.
  expect(left.length).toBeLessThanOrEqual(KILLS);
}, 90_000);
