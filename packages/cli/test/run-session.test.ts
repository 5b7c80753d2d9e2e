import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine, type RunningCli } from './cli-process.ts';

const machine = new Machine();
beforeAll(async () => {
  await machine.serve();
});
afterAll(() => machine.dispose());

const idOf = (uri: unknown): string => String(uri).replace(/^ahp-\w+:\//, '');

/** A session with one prompt. */
async function asked(prompt = 'say first'): Promise<{ session: string; chat: string }> {
  const [head] = jsonLines((await machine.run(['run', '--json', prompt])).out);
  return { session: idOf(head?.['session']), chat: idOf(head?.['chat']) };
}

/** A session with a hanging turn, and the command that started it. */
async function hanging(): Promise<{ session: string; run: RunningCli }> {
  const run = machine.start(['run', '--json', 'say ready; hang']);
  await run.until('ready');
  return { session: idOf(jsonLines(run.out)[0]?.['session']), run };
}

const chatsOf = async (session: string) =>
  jsonLines((await machine.run(['sessions', 'chats', session, '--json'])).out);

describe('agenthost run --session', () => {
  test('reports when the setting of the session applies, and not --approve', async () => {
    const { session } = await asked();
    await machine.run(['sessions', 'set', session, 'approvals=all']);
    const args = ['run', '--session', session, 'write all.txt Yes'];
    expect((await machine.run([...args, '--approve', 'none'])).err).toMatch(
      /has approvals=all, .*: --approve none has no effect; `.*sessions set \S+ approvals=ask` changes it\n/,
    );
    expect((await machine.run([...args, '--approve', 'all'])).err).not.toContain('no effect');
  });

  test('continues a session by a prefix of its id', async () => {
    const { session, chat } = await asked();
    const { code, out } = await machine.run([
      'run',
      '--session',
      session.slice(0, 8),
      '--json',
      'say second',
    ]);
    expect(code).toBe(0);
    expect(jsonLines(out)[0]).toMatchObject({
      session: `ahp-session:/${session}`,
      chat: `ahp-chat:/${chat}`,
    });
    expect(await chatsOf(session)).toHaveLength(1);
    const unknown = await machine.run(['run', '--session', 'nobody', 'say x']);
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('no session is called nobody') });
  });

  test('[SESS-5] shows as working in the list of sessions, even in another chat than the default one', async () => {
    const { session } = await asked();
    const other = machine.start(['run', '--session', session, '--new-chat', 'say ready; hang']);
    await other.until('ready');
    const line = async (): Promise<string> =>
      (await machine.run(['sessions'])).out
        .split('\n')
        .find((each) => each.startsWith(session.slice(0, 8))) ?? '';
    expect(await line()).toContain('  working  ');
    const shown = await machine.run(['sessions', 'show', session]);
    expect(shown.out).toContain('status    working, not in its default chat\n');
    other.kill('SIGINT');
    await other.ended;
    expect(await line()).toContain('  idle  ');
  });

  test('[CHAT-1] prompts in a new chat, or in a named one', async () => {
    const { session } = await asked();
    const made = await machine.run(['run', '--session', session, '--new-chat', 'say elsewhere']);
    expect(made).toMatchObject({ code: 0, out: 'elsewhere\n' });
    const chat = /, chat ([0-9a-f]{8}): /.exec(made.err)?.[1] ?? '';
    expect(await chatsOf(session)).toMatchObject([
      { isDefault: true, title: 'say first' },
      { isDefault: false, title: 'say elsewhere' },
    ]);
    const again = await machine.run([
      'run',
      '--session',
      session,
      '--chat',
      chat,
      '--json',
      'say there again',
    ]);
    expect(idOf(jsonLines(again.out)[0]?.['chat']).slice(0, 8)).toBe(chat);
    const unknown = await machine.run(['run', '--session', session, '--chat', 'nobody', 'say x']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain(
      `no chat of the session is called nobody; \`agenthost sessions chats ${session.slice(0, 8)}\` lists them`,
    );
  });

  test('[CHAT-3] fails when a turn runs there, or waits for it with --queue', async () => {
    const { session, run } = await hanging();
    const refused = await machine.run(['run', '--session', session, 'say no']);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`a turn is running there: \`agenthost queue add ${session.slice(0, 8)}\``);
    const waiting = machine.start(['run', '--session', session, '--queue', 'say my turn']);
    await waiting.until('queued behind the running turn');
    const gaveUp = machine.start(['run', '--session', session, '--queue', 'say never']);
    await gaveUp.until('queued behind the running turn');
    gaveUp.kill('SIGINT');
    expect((await gaveUp.ended).code).toBe(130);
    expect((await machine.run(['queue', 'list', session])).out).not.toContain('say never');
    run.kill('SIGINT');
    await waiting.until('agenthost queue go');
    await machine.run(['queue', 'go', session]);
    expect(await waiting.ended).toMatchObject({ code: 0, out: 'my turn\n' });
  });

  test('reports that another client removed its queued message', async () => {
    const { session, run } = await hanging();
    const waiting = machine.start(['run', '--session', session, '--queue', 'say mine']);
    await waiting.until('queued behind the running turn');
    await machine.run(['queue', 'rm', session, '1']);
    expect(await waiting.ended).toMatchObject({
      code: 1,
      err: expect.stringContaining('another client removed the message from the queue'),
    });
    run.kill('SIGINT');
  });

  test('starts at once with --queue if no turn runs', async () => {
    const { session } = await asked();
    const { code, out } = await machine.run(['run', '--session', session, '--queue', 'say at once']);
    expect({ code, out }).toEqual({ code: 0, out: 'at once\n' });
  });

  test.each([
    [
      ['--session', 'a', '--agent', 'demo'],
      '--agent applies to new sessions only: remove it, or remove --session',
    ],
    [['--session', 'a', '--cwd', '.'], '--cwd applies to new sessions only: remove it, or remove --session'],
    [
      ['--session', 'a', '--meta', 'a=b'],
      '--meta applies to new sessions only: remove it, or remove --session; `agenthost sessions set a …` changes an existing session',
    ],
    [['--session', 'a', '--chat', 'b', '--new-chat'], '--chat and --new-chat cannot be used together'],
    [['--new-chat'], '--new-chat requires --session or --continue'],
    [['--queue'], '--queue requires --session or --continue'],
  ])('refuses the combination %j', async (options, message) => {
    const { code, err } = await machine.run(['run', ...options, 'say x']);
    expect({ code, err }).toEqual({ code: 2, err: `agenthost: ${message}\n` });
  });
});

describe('agenthost queue --chat', () => {
  test('[CHAT-11] changes only the queue of that chat', async () => {
    const { session } = await asked();
    const run = machine.start(['run', '--session', session, '--new-chat', '--json', 'say ready; hang']);
    await run.until('ready');
    const chat = idOf(jsonLines(run.out)[0]?.['chat']);
    const { out } = await machine.run(['queue', 'add', session, '--chat', chat.slice(0, 8), 'say later']);
    expect(out).toContain('say later');
    expect(await machine.run(['queue', 'list', session])).toMatchObject({
      out: '',
      err: 'the queue is empty\n',
    });
    run.kill('SIGINT');
    await run.ended;
    const held = await machine.run(['queue', 'list', session, '--chat', chat]);
    expect(held.err).toContain(`agenthost queue go ${session.slice(0, 8)} --chat ${chat.slice(0, 8)}`);
  });
});

describe('agenthost sessions', () => {
  test('rename gives another title', async () => {
    const { session } = await asked();
    expect(await machine.run(['sessions', 'rename', session, 'Flaky', 'tests'])).toMatchObject({
      code: 0,
      out: `renamed ${session.slice(0, 8)}  Flaky tests\n`,
    });
    expect((await machine.run(['sessions', 'show', session])).out).toContain('title     Flaky tests\n');
    expect(await machine.run(['sessions', 'rename', session, ' '])).toMatchObject({ code: 2 });
  });

  test('dispose is rm', async () => {
    const { session } = await asked();
    expect(await machine.run(['sessions', 'dispose', '--yes', session])).toMatchObject({
      code: 0,
      out: `removed ${session.slice(0, 8)}  say first\n`,
    });
  });
});
