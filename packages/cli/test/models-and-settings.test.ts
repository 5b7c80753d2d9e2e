import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

let machine: Machine;
let session: string;
beforeAll(async () => {
  machine = new Machine();
  await machine.serve();
  const { out } = await machine.run(['run', '--json', 'say first']);
  session = String(jsonLines(out).find(({ type }) => type === 'session')?.['session']).replace(
    'ahp-session:/',
    '',
  );
});
afterAll(() => machine.dispose());

const ended = (out: string): Record<string, unknown> | undefined =>
  jsonLines(out).find(({ type }) => type === 'ended');

describe('--model', () => {
  test('chooses the model of a new session, and of an existing one', async () => {
    for (const where of [[], ['--session', session]]) {
      const { code, out } = await machine.run(['run', '--json', '--model', 'demo-fast', ...where, 'say hi']);
      expect(code).toBe(0);
      expect(ended(out)?.['usage']).toMatchObject({ model: 'demo-fast' });
    }
    const { err } = await machine.run(['run', '--model', 'demo-fast', 'say hi']);
    expect(err).toContain(': demo (demo-fast) in ~');
  });

  test('that the agent does not have is refused with the available names, and makes no session', async () => {
    const count = async (): Promise<number> =>
      jsonLines((await machine.run(['sessions', '--json'])).out).length;
    const before = await count();
    for (const where of [
      [],
      ['--agent', 'demo'],
      ['--session', session],
      ['--session', session, '--new-chat'],
    ]) {
      const { code, out, err } = await machine.run(['run', '--model', 'demo-fats', ...where, 'say hi']);
      expect({ code, out, err }).toEqual({
        code: 2,
        out: '',
        err: 'agenthost: --model: demo has no model demo-fats; its models are demo, demo-fast\n',
      });
    }
    expect(await count()).toBe(before);
    const { out } = await machine.run(['sessions', 'chats', session, '--json']);
    expect(jsonLines(out)).toHaveLength(1);
  });

  test('accepts the names that `agents` lists', async () => {
    const { out } = await machine.run(['agents']);
    expect(out).toMatch(/^✓ demo .*\n +models: demo, demo-fast$/m);
  });
});

describe('sessions set', () => {
  test('lists the settings, changes one, and prints its new value', async () => {
    const listed = await machine.run(['sessions', 'set', session]);
    expect(listed.out).toMatch(/^approvals +ask +Approvals \(ask, edits, all, none\)$/m);
    expect(listed.out).toMatch(/^askBeforeWriting +true +Ask before writing/m);
    const changed = await machine.run([
      'sessions',
      'set',
      session,
      'approvals=none',
      'askBeforeWriting=false',
      '--meta',
      'ticket=42',
    ]);
    expect(changed).toMatchObject({
      code: 0,
      out: 'approvals is none now\naskBeforeWriting is false now\nmetadata is {"ticket":"42"} now\n',
    });
    const more = await machine.run(['sessions', 'set', session, '--meta', 'team=a', '--json']);
    expect(jsonLines(more.out)).toEqual([{ metadata: { ticket: '42', team: 'a' } }]);
    const less = await machine.run([
      'sessions',
      'set',
      session,
      '--meta',
      'team=',
      '--instructions',
      'Be brief.',
    ]);
    expect(less.out).toBe('instructions is Be brief. now\nmetadata is {"ticket":"42"} now\n');
    const { out } = await machine.run(['sessions', '--meta', 'ticket=42', '--json']);
    expect(jsonLines(out)).toHaveLength(1);
  });

  test.each([
    [['sets=1'], 2, 'sets: unknown setting; expected one of askBeforeWriting, '],
    [['model=demo-fast'], 2, 'the model is chosen per message: `agenthost run --session'],
    [['approvals'], 2, 'expected key=value, got approvals'],
    [['askBeforeWriting=maybe'], 2, 'askBeforeWriting: expected true or false, got maybe'],
    [['approvals=sometimes'], 2, 'approvals: expected one of ask, edits, all, none, got sometimes'],
  ])('refuses %j and changes nothing', async (given, code, message) => {
    const before = await machine.run(['sessions', 'set', session, '--json']);
    const refused = await machine.run(['sessions', 'set', session, '--instructions', 'other', ...given]);
    expect(refused).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
    expect((await machine.run(['sessions', 'set', session, '--json'])).out).toBe(before.out);
  });

  test('is the command that `run` suggests for an existing session', async () => {
    const { code, err } = await machine.run(['run', '--session', session, '--config', 'approvals=ask', 'x']);
    expect(code).toBe(2);
    expect(err).toContain(`\`agenthost sessions set ${session} …\` changes an existing session`);
  });

  test('reports that a token may only observe', async () => {
    const made = await machine.run(['token', 'create', '--json', '--name', 'eye']);
    const token = String(jsonLines(made.out)[0]?.['secret']);
    const { code, err } = await machine.run(['sessions', 'set', session, 'approvals=ask'], {
      AGENTHOST_TOKEN: token,
    });
    expect(code).toBe(1);
    expect(err).toContain('changing settings of a session requires a token of scope interact');
  });
});

describe('the status of a session', () => {
  const wordOf = async (): Promise<string | undefined> =>
    (await machine.run(['sessions', '--limit', '1'])).out.split(/ +/)[1];

  test('is idle after `run` has shown its end, in a new session and in an existing one', async () => {
    await machine.run(['run', '--session', session, 'say seen']);
    expect(await wordOf()).toBe('idle');
    await machine.run(['run', 'say seen too']);
    expect(await wordOf()).toBe('idle');
  });

  test('is unread after a turn of another client, also when `run` shows a newer one', async () => {
    await machine.run(['queue', 'add', session, 'say unseen']);
    await expect.poll(wordOf).toBe('unread');
    await machine.run(['run', '--session', session, 'say newer']);
    expect(await wordOf()).toBe('unread');
  });
});

test('invalid values of `serve --set` are wrong usage, like unknown keys', async () => {
  for (const given of [
    'maxTerminals=0',
    'approvals=perhaps',
    'maxTerminals=x',
    'nokey=1',
    'defaultAgent=nobody',
  ]) {
    const { code, err } = await machine.run(['serve', '--port', '0', '--data', 'other', '--set', given]);
    expect([given, code]).toEqual([given, 2]);
    expect(err).toContain(given.split('=')[0]);
  }
});
