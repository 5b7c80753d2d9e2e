// A person whose token may only look, with a role in one session.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { jsonLines, Machine } from '../../packages/cli/test/cli-process.ts';
import { Stage } from './stage.ts';
import { hasTmux } from './tmux.ts';

const PERSON = 'Grace Hopper';

const stage = new Stage();
const server = new Machine();
afterAll(async () => {
  await stage.dispose();
  await server.dispose();
});

test.skipIf(!hasTmux())(
  'a session is read-only by the role in it, not by the scope on the host',
  async () => {
    const { line } = await server.serve();
    const asked = await server.run(['run', '--json', 'say hello']);
    const session = String(jsonLines(asked.out)[0]?.['session']);
    const made = await server.run(['token', 'create', '--person', PERSON, '--scope', 'observe']);
    writeFileSync(join(stage.folder, 'token'), made.out.split('\n')[0] ?? '');
    expect(await stage.run('hosts', 'add', 'team', line.url, '--token-file', 'token')).toMatchObject({
      code: 0,
    });
    const window = await stage.chat(['--host', 'team'], { columns: 100 });
    await window.until(/connected to .*, read-only/);
    await window.press('Enter');
    await window.until('Type a message');
    await window.until(/connected to .*, read-only/);
    expect(await server.run(['share', session, '--person', PERSON, '--role', 'interact'])).toMatchObject({
      code: 0,
    });
    await window.until((screen) => /connected to/.test(screen) && !screen.includes('read-only'));
    await window.type('say from Grace');
    await window.press('Enter');
    await window.until(/\n from Grace *\n/);
    await server.run(['unshare', session, '--person', PERSON]);
    await window.until(/connected to .*, read-only/);
  },
);
