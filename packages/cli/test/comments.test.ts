import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
const FILE = ['import "a";', '', 'export function one() {', '  return compute(1);', '}', ''];
beforeAll(async () => {
  writeFileSync(join(machine.home, 'a.ts'), FILE.join('\n'));
  mkdirSync(join(machine.home, 'sub'));
  writeFileSync(join(machine.home, 'odd:1'), 'text\n');
  await machine.serve();
}, 30_000);
afterAll(() => machine.dispose());

/** A new session in the folder of the file. */
async function newSession(prompt = 'say ready'): Promise<string> {
  const { out } = await machine.run(['run', '--json', prompt]);
  return String(jsonLines(out)[0]?.['session']).replace('ahp-session:/', '');
}

const comment = (...args: string[]) => machine.run(['comment', ...args]);
const comments = async (session: string, ...args: string[]) =>
  (await machine.run(['comments', session, ...args])).out;

describe('agenthost comment', () => {
  test('[ANN-1] comments on lines of a file, answers, resolves, reopens and removes', async () => {
    const session = await newSession();
    expect(await machine.run(['comments', session])).toMatchObject({
      code: 0,
      out: '',
      err: 'there are no comments\n',
    });
    const added = await comment(session, 'a.ts:3-4', 'Why', 'one?');
    expect([added.code, added.out]).toEqual([
      0,
      expect.stringMatching(/^\S{8} {2}open {6}a\.ts:3-4 {2}Why one\?\n$/),
    ]);
    const id = added.out.slice(0, 8);
    expect((await comment('reply', session, id, 'Because')).out).toBe(
      `${added.out}          agenthost-cli: Because\n`,
    );
    expect((await comment('resolve', session, id)).out).toContain('  resolved  a.ts:3-4  ');
    expect(await comments(session, '--open')).toBe('');
    expect((await comment('reopen', session, id)).out).toContain('  open      a.ts:3-4  ');
    await comment(session, 'a.ts', 'The whole file');
    expect((await comments(session)).split('\n')).toMatchObject([
      `${id}  open      a.ts:3-4  Why one?`,
      '          agenthost-cli: Because',
      expect.stringMatching(/ {2}open {6}a\.ts {2}The whole file$/),
      '',
    ]);
    const [shown] = jsonLines(await comments(session, '--json'));
    expect(shown).toMatchObject({
      type: 'comments',
      session: `ahp-session:/${session}`,
      comments: [
        { resolved: false, 'x-anchor': { quote: 'export function one() {\n  return compute(1);' } },
        {},
      ],
    });
    expect((await comment('remove', session, id)).err).toBe(`removed comment ${id}\n`);
    expect(await comments(session)).not.toContain(id);
    expect((await machine.run(['sessions', 'show', session, '--json'])).out).toContain('"annotationCount":1');
  }, 60_000);

  test('[ANN-1] says what is wrong with a place or an id', async () => {
    const session = await newSession();
    const refused = async (...args: string[]) => {
      const { code, err } = await comment(...args);
      return [code, err];
    };
    expect(await refused(session, 'none.ts', 'x')).toEqual([
      2,
      'agenthost: none.ts: the file does not exist\n',
    ]);
    expect(await refused(session, 'sub', 'x')).toEqual([2, 'agenthost: sub: the file does not exist\n']);
    expect(await refused(session, 'a.ts:0', 'x')).toEqual([
      2,
      'agenthost: a.ts:0: lines are counted from 1\n',
    ]);
    expect(await refused(session, 'a.ts:4-2', 'x')).toEqual([
      2,
      'agenthost: a.ts:4-2: line 4 is after line 2\n',
    ]);
    expect(await refused(session, 'a.ts', ' ')).toEqual([2, 'agenthost: the comment is empty\n']);
    expect(await refused('resolve', session, 'nobody')).toEqual([
      1,
      'agenthost: no comment is called nobody; `agenthost comments` lists them\n',
    ]);
    expect(await refused('send', session)).toEqual([1, 'agenthost: there are no open comments to send\n']);
    expect((await comment(session, 'odd:1', 'x')).out).toContain('  odd:1  x\n');
  }, 60_000);

  test('[ANN-1] sends comments to the agent, at once or behind the running turn, and they stay open', async () => {
    const session = await newSession();
    const id = (await comment(session, 'a.ts:4', 'Why one?')).out.slice(0, 8);
    const sent = await comment('send', session, '--text', 'say got it');
    expect([sent.code, sent.err]).toEqual([0, expect.stringMatching(/^sent 1 comment: `agenthost watch /)]);
    const watch = machine.start(['watch', session, '--json', '--turns', '5']);
    await watch.until('got it');
    watch.kill('SIGINT');
    await watch.ended;
    expect(await comments(session, '--open')).toContain(id);
    const hanging = machine.start(['run', '--session', session, 'say started; hang']);
    await hanging.until('started');
    const [queued] = jsonLines((await comment('send', session, id, '--json')).out);
    expect(queued).toMatchObject({ type: 'sent', isWaiting: true, comments: [expect.stringContaining(id)] });
    const { out } = await machine.run(['queue', 'list', session]);
    expect(out).toContain('Please address these comments.');
    hanging.kill('SIGINT');
  }, 60_000);

  test('[ANN-1] an agent comments, answers and resolves, and is named as the author', async () => {
    await machine.run(['config', 'set', 'agentComments', 'true']);
    const session = await newSession('comment a.ts 3-4 Computed twice');
    const added = await comments(session);
    expect(added).toMatch(/^\S{8} {2}open {6}a\.ts:3-4 {2}Computed twice {2}\(by Demo\)\n$/);
    const [shown] = jsonLines(await comments(session, '--json'));
    expect(shown).toMatchObject({
      comments: [{ entries: [{ 'x-by': { provider: 'demo', name: 'Demo' } }] }],
    });
    const mine = await comment(session, 'a.ts:1', 'Why this import?');
    const all = jsonLines(await comments(session, '--json'))[0]?.['comments'];
    const ids = Array.isArray(all) ? all.map(({ id }: { id: string }) => id) : [];
    await machine.run(['run', '--session', session, `resolve ${ids[1]} It is needed`]);
    expect(await comments(session)).toBe(
      `${added}${mine.out.replace('open    ', 'resolved')}          Demo: It is needed\n`,
    );
    const failed = await machine.run(['run', '--session', session, 'comment none.ts 1 x']);
    expect(failed.out).toContain('`comment` failed: file: none.ts does not exist.');
  }, 60_000);

  test('[ANN-1] marks a comment as outdated when its lines are gone', async () => {
    const session = await newSession();
    writeFileSync(join(machine.home, 'b.ts'), FILE.join('\n'));
    await comment(session, 'b.ts:4', 'Why one?');
    writeFileSync(join(machine.home, 'b.ts'), ['// new', ...FILE].join('\n'));
    await machine.run(['run', '--session', session, 'say one']);
    expect(await comments(session)).toContain('  open      b.ts:5  ');
    writeFileSync(join(machine.home, 'b.ts'), 'other\n');
    await machine.run(['run', '--session', session, 'say two']);
    expect(await comments(session)).toContain('  outdated  b.ts:5  ');
  }, 60_000);
});
