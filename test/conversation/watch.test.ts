import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Stage } from '../terminals/stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});

afterEach(() => stage.close());

test('[WATCH-1] a client sees the changes of a real folder', async () => {
  const folder = join(stage.folder, 'project');
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/a.ts'), 'a');
  const uri = pathToFileURL(folder).href;
  await stage.asking.sessions.create({ workingDirectories: [uri] });
  const changes: Record<string, string> = {};
  const options = { recursive: true, includes: ['**/*.ts'], excludes: ['out'] };
  const watch = await stage.asking.watch(uri, options, (batch) => {
    expect(batch.isMissed).toBe(false);
    for (const change of batch.changes) changes[change.uri.slice(uri.length + 1)] = change.type;
  });
  appendFileSync(join(folder, 'src/a.ts'), 'b');
  mkdirSync(join(folder, 'new/deep'), { recursive: true });
  mkdirSync(join(folder, 'out'));
  for (const name of ['out/x.ts', 'readme', 'new/deep/b.ts', 'c.tmp']) writeFileSync(join(folder, name), 'x');
  renameSync(join(folder, 'c.tmp'), join(folder, 'c.ts'));
  const expected = { 'src/a.ts': 'updated', 'new/deep/b.ts': 'added', 'c.ts': 'added' };
  await vi.waitFor(() => expect(changes).toEqual(expected), { timeout: 15_000, interval: 20 });
  watch.close();
});
