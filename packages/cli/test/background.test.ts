import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
beforeAll(async () => {
  await machine.serve();
});
afterAll(() => machine.dispose());

test('[CHAT-46] agenthost background lists the shells of a session that outlive their turns, and ends them', async () => {
  const ran = await machine.run(['run', '--json', '--approve', 'all', 'serve sleep 300']);
  const session = String(jsonLines(ran.out)[0]?.['session']).replace('ahp-session:/', '');
  const listed = await machine.run(['background', 'list', session]);
  expect(listed.out).toMatch(/^\S{8} {2}shell {3} +\d+ s {2}sleep 300\n$/);
  const id = listed.out.slice(0, 8);
  const wrong = await machine.run(['background', 'end', session, id, 'nobody']);
  expect(wrong).toMatchObject({
    code: 1,
    err: 'agenthost: no work in the background has the id nobody; `background list` lists it\n',
  });
  expect(jsonLines((await machine.run(['background', 'list', session, '--json'])).out)).toMatchObject([
    { kind: 'shell', command: 'sleep 300' },
  ]);
  expect((await machine.run(['background', 'end', session, id])).out).toMatch(/^ended .*sleep 300\n$/);
  expect(await machine.run(['background', 'list', session])).toMatchObject({
    code: 0,
    out: '',
    err: 'nothing runs in the background\n',
  });
}, 60_000);
