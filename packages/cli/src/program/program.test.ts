import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { commandLine, nameOwnCommand } from '../process/own-command.ts';
import { optionOf } from './options.ts';
import { runCli } from './program.ts';

let folder: string;
let context: FakeContext;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-cli-'));
  context = new FakeContext();
  context.env = { XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  context.stdin.end();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  nameOwnCommand(() => 'agenthost');
});

const TERM = ['', 'list', 'new', 'attach', 'send', 'wait', 'kill', 'run'];

describe('the command line', () => {
  test.each([
    ['serve'],
    ['run'],
    ['sessions'],
    ['sessions show'],
    ['sessions rm'],
    ['watch'],
    ['agents'],
    ...TERM.map((name) => [`term ${name}`.trim()]),
  ])('%s --help has examples, and exits 0', async (command) => {
    expect(await runCli(context, [...command.split(' '), '--help'])).toBe(0);
    expect(context.out).toContain('Examples:\n  agenthost ');
    expect(context.err).toBe('');
  });

  test.each([
    [['serve', '--help'], '--detach                  run in the background'],
    [['service', 'logs', '--help'], '--lines <count>  number of last lines to show (default: 100)'],
  ])('%j describes the option of this command, not that of another', async (args, shown) => {
    expect(await runCli(context, args)).toBe(0);
    expect(context.out).toContain(shown);
  });

  test('reports an output that cannot be written, but not a closed reader', async () => {
    context.output.abort(Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }));
    expect(await runCli(context, ['sessions', '--help'])).toBe(1);
    expect(context.err).toBe('agenthost: cannot write to standard output: no space left\n');
    context = new FakeContext();
    context.output.abort(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
    expect(await runCli(context, ['sessions', '--search', '*'])).toBe(2);
    expect(context.err).toBe('agenthost: --search: nothing to search for\n');
  });

  test.each([
    [['sessions', '--search', ''], '--search: nothing to search for'],
    [['sessions', '--search', '"'], '--search: nothing to search for'],
    [['export', 'x', '-o', ''], '--output: expected a file, got nothing'],
    [['run', '!'], 'a command is required after the !'],
    [['run', '--approve', 'none', '--config', 'approvals=all', 'say hi'], 'remove one of them'],
  ])('refuses %j before it searches for a host', async (args, told) => {
    expect(await runCli(context, args)).toBe(2);
    expect(context.err).toContain(told);
  });

  test.each([[['help', 'term', 'list']], [['term', 'help', 'list']], [['term', 'list', '--help']]])(
    '%j shows help of that command',
    async (args) => {
      expect(await runCli(context, args)).toBe(0);
      expect(context.out).toMatch(/^Usage: agenthost term list /);
    },
  );

  /** Words of every command, from the help of its parent command. */
  async function commandsUnder(words: readonly string[]): Promise<readonly (readonly string[])[]> {
    const { out } = await helpOf(words);
    // An unknown name shows the help of the parent command, which would recurse without end.
    expect(out).toContain(`Usage: ${commandLine(words.join(' '))}`);
    const section = /^Commands:\n((?: {2}.*\n)+)/m.exec(out)?.[1] ?? '';
    const names = [...section.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
    const found = await Promise.all(
      names.filter((name) => name !== 'help').map((name) => commandsUnder([...words, name])),
    );
    return [words, ...found.flat()];
  }

  async function helpOf(words: readonly string[]): Promise<FakeContext> {
    const own = new FakeContext();
    own.env = context.env;
    await runCli(own, [...words, '--help']);
    return own;
  }

  test.each(['agenthost', 'npx agenthost'])('every --help of %s fits into 80 columns', async (own) => {
    nameOwnCommand(() => own);
    const commands = await commandsUnder([]);
    expect(commands.map((words) => words.join(' '))).toEqual(expect.arrayContaining(['run', 'term attach']));
    for (const words of commands) {
      const { out } = await helpOf(words);
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });

  test('help shows defaults and units', async () => {
    await runCli(context, ['serve', '--help']);
    expect(context.out.replace(/\s+/g, ' ')).toContain('0 picks a free port (default: 4711');
    await runCli(context, ['run', '--help']);
    expect(context.out.replace(/\s+/g, ' ')).toContain('choices: "ask", "all", "none", default: "ask"');
  });

  test('help of term run explains carriage returns in a file, with --raw too', async () => {
    await runCli(context, ['term', 'run', '--help']);
    expect(context.out.replace(/\s+/g, ' ')).toContain(
      'in files and pipes; carriage returns before line feeds are always removed there',
    );
  });

  test.each([
    [[], 'Usage: agenthost'],
    [['frob'], "unknown command 'frob'"],
    [['help', 'nope'], "unknown command 'nope'"],
    [['help', 'term', 'nope'], "unknown command 'nope'"],
    [['term', 'help', 'nope'], "unknown command 'nope'"],
    [['automations', 'delete', 'x'], "unknown command 'delete'"],
    [['serve', '--token-file', '/nonexistent/tok'], '--token-file: no folder /nonexistent'],
    [['serve', '--host', 'no..such'], '--host no..such: the name does not exist'],
    [['run', '--frob', 'x'], "unknown option '--frob'"],
    [['run', '--approve', 'perhaps', 'x'], 'Allowed choices are ask, all, none.'],
    [['run', '--timeout', '-1', 'x'], 'Expected a number from'],
    [['serve', '--port', '65536'], 'Expected a whole number from 0 to 65535.'],
    [['serve', '--port', '1.5'], 'Expected a whole number'],
    [['serve', 'extra'], 'too many arguments'],
    [['run', '--url', 'nonsense', 'x'], 'expected an address'],
    [['run', '--cwd', '', 'x'], '--cwd: expected a folder'],
    [['sessions', '--limit', '0'], 'Expected a whole number of at least 1.'],
    [['agents', '--config', 'x', '--url', 'http://127.0.0.1:1'], 'use one of them'],
    [['run', ' '], 'the prompt is empty'],
    [['run'], 'the prompt is empty'],
    [['sessions', 'rm'], "missing required argument 'session'"],
    [['watch'], "missing required argument 'session'"],
    [['term'], 'Usage: agenthost term'],
    [['term', 'run'], "missing required argument 'command'"],
    [['term', 'attach', '1'], 'must be a terminal'],
    [['term', 'attach', '1', '--detach-key', 'x'], '--detach-key: expected a control key'],
    [['term', 'new', '--detach', '--size', '80', '--url', 'http://127.0.0.1:1'], '--size: expected columns'],
    [['term', 'send', '1'], 'nothing to send'],
    [['term', 'send', '1', '--key', 'entr'], 'no key is called entr'],
    [['term', 'wait', '1', '--exit', '--idle', '5'], '--exit, --idle and --text cannot be used together'],
    [['term', 'wait', '1', '--text', '('], '--text: Invalid regular expression'],
    [['term', 'kill', '1', '--signal', 'XYZ'], '--signal: expected one of'],
  ])('wrong usage exits 2: %j', async (args, message) => {
    expect(await runCli(context, args)).toBe(2);
    expect(context.err).toContain(message);
    expect(context.out).toBe('');
  });

  test.each([
    [['frob', '--json'], "unknown command 'frob'"],
    [['run', '--json', '--frob', 'x'], "unknown option '--frob'"],
    [['run', '--json', ' '], 'the prompt is empty'],
  ])('wrong usage is one JSON object with --json: %j', async (args, message) => {
    expect(await runCli(context, args)).toBe(2);
    expect(JSON.parse(context.out)).toEqual({
      type: 'error',
      message: expect.stringContaining(message),
      exitCode: 2,
    });
    expect(context.err).toBe('');
  });

  test('with --json an error is printed once, on stdout', async () => {
    expect(await runCli(context, ['serve', '--json', '--config', join(folder, 'missing.json')])).toBe(1);
    expect(JSON.parse(context.out)).toMatchObject({ type: 'error', exitCode: 1 });
    // On a slow machine it prints that it is starting.
    expect(context.err.replace('starting\n', '')).toBe('');
  });

  test('an empty variable counts as absent', () => {
    expect(optionOf('url', { AGENTHOST_URL: '' }).envVar).toBeUndefined();
    expect(optionOf('url', {}).envVar).toBe('AGENTHOST_URL');
  });

  test('an unreadable hosts folder is reported in one line', async () => {
    writeFileSync(join(folder, 'agenthost'), '');
    expect(await runCli(context, ['sessions'])).toBe(1);
    expect(context.err).toMatch(/^agenthost: [^\n]*hosts cannot be read: [^\n]*XDG_STATE_HOME[^\n]*\n$/);
  });

  test('asks for a prompt when a person runs it without one', async () => {
    context = new FakeContext({ isTerminal: true });
    expect(await runCli(context, ['run'])).toBe(2);
    expect(context.err).toContain('a prompt is required');
  });

  test('shows causes with --verbose only', async () => {
    const args = ['run', '--url', 'http://127.0.0.1:1', 'x'];
    expect(await runCli(context, args)).toBe(4);
    expect(context.err.trimEnd().split('\n')).toHaveLength(1);
    expect(await runCli(context, [...args, '--verbose'])).toBe(4);
    expect(context.err).toContain('caused by CannotConnect');
  });
});
