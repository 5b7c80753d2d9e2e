import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
beforeAll(async () => {
  await machine.serve();
});
afterAll(() => machine.dispose());

test('agenthost trace shows where the time of a turn went', async () => {
  const ran = await machine.run(['run', '--json', 'say hello']);
  const session = String(jsonLines(ran.out)[0]?.['session']).replace('ahp-session:/', '');
  const { code, out } = await machine.run(['trace', session]);
  expect(code).toBe(0);
  expect(out).toMatch(/^invoke_agent demo +\S+ +[\d.]+ m?s/);
  const spans = jsonLines((await machine.run(['trace', session, 'last', '--json'])).out);
  expect(spans[0]).toMatchObject({
    name: 'invoke_agent demo',
    attributes: { 'ahp.turn.outcome': 'complete' },
  });
  expect(await machine.run(['trace', session, 'nothing'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no turn is called nothing'),
  });
});

test('agenthost logs --follow shows the steps of turns, of one session if that is asked for', async () => {
  expect(await machine.run(['logs', '--level', 'error'])).toMatchObject({
    code: 0,
    out: '',
    err: 'the host has logged nothing\n',
  });
  const ran = await machine.run(['run', '--json', 'say hello']);
  const session = String(jsonLines(ran.out)[0]?.['session']).replace('ahp-session:/', '');
  const all = machine.start(['logs', '--follow']);
  const one = machine.start(['logs', '--follow', '--session', session]);
  await Promise.all([all.until('following'), one.until('following')]);
  await machine.run(['run', 'say in another session']);
  await all.until('a turn of demo ended');
  await machine.run(['run', '--session', session, 'say again']);
  await one.until('a turn of demo ended');
  for (const line of one.out.trim().split('\n')) expect(line).toContain(`session=${session.slice(0, 8)}`);
  all.kill('SIGINT');
  one.kill('SIGINT');
  await Promise.all([all.ended, one.ended]);
});
