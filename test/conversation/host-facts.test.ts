import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inFolder } from '@agenthost/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quickly, Stage, seen } from '../terminals/stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});

afterEach(() => stage.close());

test('a client sees which agents are ready', async () => {
  const [demo, scripted, ...others] = await stage.asking.agentHealth({ refresh: true });
  expect(demo).toMatchObject({
    provider: 'demo',
    state: 'ready',
    isDefault: true,
    isBuiltIn: true,
    models: 2,
  });
  expect(scripted).toMatchObject({
    provider: 'scripted',
    state: 'ready',
    isDefault: false,
    isBuiltIn: false,
  });
  expect(others).toEqual([]);
});

test('a client picks a folder of the host, and makes a new one', async () => {
  const start = await stage.asking.listFolder('');
  expect(start.uri).toBe(pathToFileURL(stage.folder).href);
  const made = inFolder(start.uri, 'new folder #1');
  await stage.asking.makeFolder(made);
  expect(existsSync(join(stage.folder, 'new folder #1'))).toBe(true);
  const { entries, hasMore } = await stage.asking.listFolder(start.uri);
  expect(hasMore).toBe(false);
  const entry = entries.find(({ uri }) => uri === made);
  expect(entry).toStrictEqual({ name: 'new folder #1', uri: made, isFolder: true, isLink: false });
  expect(await stage.asking.listFolder(made)).toMatchObject({ uri: made, parent: start.uri, entries: [] });
  const data = entries.find(({ name }) => name === 'data');
  await expect(stage.asking.listFolder(data?.uri ?? '')).rejects.toMatchObject({ code: -32009 });
  const session = await stage.asking.sessions.create({ workingDirectories: [made] });
  expect(fileURLToPath(session.mirror.state.workingDirectories?.[0] ?? '')).toBe(
    join(stage.folder, 'new folder #1'),
  );
});

test('a client sees the disk use of the host', async () => {
  const { databaseBytes, reusableBytes, contentBytes, logBytes, diskFreeBytes } =
    await stage.asking.diskUse();
  expect(databaseBytes).toBeGreaterThan(reusableBytes + contentBytes);
  expect(logBytes).toBeGreaterThan(0);
  expect(diskFreeBytes).toBeGreaterThan(0);
});

test('another client sees who sent a message; the prediction does not claim it', async () => {
  const { asking, watching } = await stage.session();
  asking.prompt(quickly('hello'));
  expect(asking.chat.mirror.state.activeTurn).not.toHaveProperty('x-by');
  const by = await seen(watching.chat.mirror, ({ turns }) => turns[0]?.['x-by']);
  expect(by).toStrictEqual({ clientId: stage.asking.clientId, name: 'asking' });
});
