import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { jsonLines, Machine } from '../../packages/cli/test/cli-process.ts';
import { Stage } from './stage.ts';
import { hasTmux } from './tmux.ts';

const stage = new Stage();
const build = new Machine();
afterAll(async () => {
  await stage.dispose();
  await build.dispose();
});

test.skipIf(!hasTmux())(
  'the list has the sessions of all hosts, and a session of another host opens on its own host',
  async () => {
    await stage.serve();
    const { line } = await build.serve();
    const asked = await build.run(['run', '--json', 'say from afar']);
    await stage.run('run', 'say from here');
    writeFileSync(join(stage.folder, 'token'), line.token);
    const added = await stage.run('hosts', 'add', 'build', line.url, '--token-file', 'token');
    expect(added.code).toBe(0);
    await stage.run('hosts', 'add', 'down', 'http://127.0.0.1:1', '--no-check');

    const window = await stage.chat([], { columns: 100 });
    await window.until('say from afar');
    await window.until('down: no host answers');
    const screen = await window.screen();
    expect(screen).toMatch(/say from afar .*build {2}/);
    expect(screen).toMatch(/say from here .*local {2}/);
    await window.type('build');
    await window.until('1 of 2');
    await window.press('Enter');
    await window.until('Type a message');
    await window.type('say once more');
    await window.press('Enter');
    await window.until((shown) => /\n once more *\n/.test(shown) && /^[^\n]* idle\n/.test(shown));
    await window.until(`connected to ${new URL(line.url).host}`);
    const id = String(jsonLines(asked.out)[0]?.['session']);
    const turns = await build.run(['sessions', 'turns', id]);
    expect(turns.out).toMatch(/ complete .* say from afar\n.* complete .* say once more\n$/);
    await window.press('C-c');
    await window.press('C-c');
    await window.until('exit code 0');
  },
);
