import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChat } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { readTextFile } from '../src/acp/session/files.ts';
import type { ConfinedFolder } from '../src/working-files/confined-path.ts';
import { scriptedAgent, steps, temporaryFolder } from './acp-chats.ts';

/** A folder without private paths. */
const openFolder = (path: string): ConfinedFolder => ({ path, isPrivate: async () => false });

/** The answer to the agent's request. */
async function ask(workingDirectory: string, method: string, params: object): Promise<unknown> {
  const chat = await openChat(scriptedAgent({}, { offersReadTextFile: false, offersWriteTextFile: false }), {
    workingDirectory,
  });
  const turn = chat.prompt(steps({ ask: { method, params } }, { sayAnswer: true }));
  await turn.done;
  return JSON.parse(turn.output.text);
}

const read = 'fs/read_text_file';
const write = 'fs/write_text_file';

describe('files of the working directory', () => {
  it('the agent gets the offered capabilities', async () => {
    const offered = async (config: object): Promise<unknown> => {
      const chat = await openChat(scriptedAgent({}, config), { workingDirectory: temporaryFolder() });
      const turn = chat.prompt(steps({ sayCalls: 'initialize' }));
      await turn.done;
      return JSON.parse(turn.output.text);
    };
    expect(await offered({})).toMatchObject([
      { clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true } },
    ]);
    expect(await offered({ offersReadTextFile: false })).toMatchObject([
      { clientCapabilities: { fs: { readTextFile: false, writeTextFile: true } } },
    ]);
  });

  it('a file is read whole or from a given line, also without the offer', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'a.txt');
    writeFileSync(path, 'one\ntwo\nthree\n');
    expect(await ask(folder, read, { path })).toEqual({ content: 'one\ntwo\nthree\n' });
    expect(await ask(folder, read, { path, line: 2, limit: 1 })).toEqual({ content: 'two\n' });
    expect(await ask(folder, read, { path, line: 3 })).toEqual({ content: 'three\n' });
  });

  it('a missing file is "resource not found"', async () => {
    const folder = temporaryFolder();
    expect(await ask(folder, read, { path: join(folder, 'none') })).toMatchObject({ code: -32002 });
  });

  it('a write replaces the whole file, keeps its mode and leaves no other file', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'run.sh');
    writeFileSync(path, 'old', { mode: 0o755 });
    const before = statSync(path).ino;
    expect(await ask(folder, write, { path, content: 'new' })).toEqual({});
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(statSync(path).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(['run.sh']);
  });

  it('a write creates missing folders', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'a/b/c.txt');
    expect(await ask(folder, write, { path, content: 'x' })).toEqual({});
    expect(readFileSync(path, 'utf8')).toBe('x');
  });

  it('[RES-2] no path reads or writes outside of the working directory', async () => {
    const folder = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'secret'), join(folder, 'file-link'));
    mkdirSync(join(folder, 'in'));
    for (const path of [
      join(outside, 'secret'),
      `${folder}/../${outside.split('/').at(-1)}/secret`,
      join(folder, 'link/secret'),
      join(folder, 'link/new'),
      join(folder, 'file-link'),
      'relative',
    ]) {
      expect(await ask(folder, read, { path }), path).toMatchObject({ code: -32602 });
      expect(await ask(folder, write, { path, content: 'x' }), path).toMatchObject({ code: -32602 });
    }
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('[RES-2] devices, pipes and folders are refused at once', async () => {
    const folder = temporaryFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const path of [join(folder, 'pipe'), folder, '/dev/zero', '/proc/self/environ', `${folder}/\u0000`])
      await expect(readTextFile(openFolder(folder), { path }), path).rejects.toMatchObject({ code: -32602 });
  });

  it('a link inside the working directory may be written through', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'real'), 'old');
    symlinkSync('real', join(folder, 'alias'));
    expect(await ask(folder, write, { path: join(folder, 'alias'), content: 'new' })).toEqual({});
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new');
    expect(readdirSync(folder).sort()).toEqual(['alias', 'real']);
  });
});
