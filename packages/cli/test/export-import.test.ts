import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
let folder: string;
let id: string;

beforeAll(async () => {
  await machine.serve();
  folder = mkdtempSync(join(machine.home, 'exports-'));
  await machine.run([
    'run',
    '--approve',
    'all',
    '--cwd',
    folder,
    'say **Hello**; write a.txt one; edit a.txt two',
  ]);
  const { out } = await machine.run(['sessions', '--json', '--limit', '1']);
  id = String(jsonLines(out)[0]?.['resource']).replace('ahp-session:/', '');
}, 60_000);
afterAll(() => machine.dispose());

const file = (name: string): string => join(folder, name);

/** A copy of the export with these changes. */
function changed(name: string, ...changes: readonly (readonly [RegExp, string])[]): string {
  let text = readFileSync(file('session.json'), 'utf8');
  for (const [from, to] of changes) text = text.replace(from, to);
  writeFileSync(file(name), text);
  return file(name);
}

const provider = /"provider":"demo"/;
const workingDirectory = /"workingDirectories":\["[^"]*"\]/;
const nowhere = '"workingDirectories":["file:///no/such"]';

describe('export', () => {
  test('writes a file that import turns into a session', async () => {
    const done = await machine.run(['export', id.slice(0, 8), '-o', file('session.json')]);
    expect(done).toEqual({ code: 0, out: '', err: `1 turn in 1 chat written to ${file('session.json')}\n` });
    const document = JSON.parse(readFileSync(file('session.json'), 'utf8'));
    expect(document).toMatchObject({
      format: 'agenthost-session',
      version: 2,
      host: expect.stringMatching(/^agenthost \d/),
      session: { resource: `ahp-session:/${id}`, provider: 'demo', createdAt: expect.any(String) },
      chats: [{ turns: [{ turn: { state: 'complete' }, contents: [{ data: 'one\n' }, {}, {}] }] }],
    });
    const imported = await machine.run(['import', file('session.json'), '--session', 'ahp-session:/copy']);
    expect(imported).toMatchObject({ code: 0, err: '1 turn in 1 chat\n' });
    expect(imported.out).toMatch(/^copy {2}say \*\*Hello\*\*/);
    const again = await machine.run(['export', 'copy']);
    expect(JSON.parse(again.out).chats[0].turns[0].turn.responseParts[0]).toEqual(
      document.chats[0].turns[0].turn.responseParts[0],
    );
  });

  test('replaces a file only with --force, and leaves nothing half-written', async () => {
    writeFileSync(file('mine.md'), 'mine');
    const refused = await machine.run(['export', id, '--format', 'markdown', '-o', file('mine.md')]);
    expect(refused).toEqual({
      code: 1,
      out: '',
      err: `agenthost: ${file('mine.md')} already exists; --force replaces it\n`,
    });
    expect(readFileSync(file('mine.md'), 'utf8')).toBe('mine');
    const forced = await machine.run([
      'export',
      id,
      '--format',
      'markdown',
      '-o',
      file('mine.md'),
      '--force',
      '--json',
    ]);
    expect(jsonLines(forced.out)).toMatchObject([
      { type: 'exported', format: 'markdown', turns: 1, chats: 1 },
    ]);
    expect(readFileSync(file('mine.md'), 'utf8')).toContain('### Turn 1\n\n> say **Hello**');
    const lost = await machine.run(['export', id, '-o', join(folder, 'no', 'such')]);
    expect(lost.code).toBe(1);
    expect(lost.err).toBe(`agenthost: the folder ${join(folder, 'no')} does not exist\n`);
    const intoFolder = await machine.run(['export', id, '-o', folder, '--force']);
    expect(intoFolder).toMatchObject({ code: 1, err: `agenthost: ${folder} is a folder\n` });
    symlinkSync('mine.md', file('link.md'));
    expect((await machine.run(['export', id, '-o', file('link.md'), '--force'])).code).toBe(0);
    expect(readlinkSync(file('link.md'))).toBe('mine.md');
    expect(readFileSync(file('mine.md'), 'utf8')).toContain('"agenthost-session"');
    expect(statSync(file('mine.md')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('writes to stdout for -', async () => {
    const { code, out, err } = await machine.run(['export', id, '-o', '-']);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ format: 'agenthost-session' });
    expect(await machine.run(['export', id, '-o', '-', '--json'])).toMatchObject({ code: 2 });
    expect(readdirSync(folder)).not.toContain('-');
  });

  test('writes a page that opens in a browser', async () => {
    const { code, out } = await machine.run(['export', id, '--format', 'html']);
    expect(code).toBe(0);
    expect(out).toMatch(/^<!doctype html>[^]*<strong>Hello<\/strong>[^]*<\/html>\n$/);
    expect(out).toContain('<span class="add">+two</span>');
  });
});

describe('import', () => {
  test.each([
    [
      'newer.json',
      /"version":2/,
      '"version":3',
      'has version 3 of the format, and this agenthost reads up to 2',
    ],
    ['other.json', /"agenthost-session"/, '"x"', '(JSON): its format is not agenthost-session'],
    [
      'agent.json',
      provider,
      '"provider":"nobody"',
      'the host has no agent nobody: choose another with --agent; `agenthost agents`',
    ],
    [
      'folder.json',
      workingDirectory,
      nowhere,
      'the folder /no/such does not exist on the host: choose a folder with --cwd',
    ],
    [
      'outside.json',
      workingDirectory,
      '"workingDirectories":["file:///usr"]',
      ', or give this one with --cwd',
    ],
    ['turns.json', /"turn":{"id":"[^"]*"/, '"turn":{"id":1', 'turn.id: must be a string'],
  ])('reports the fault of %s, and leaves nothing', async (name, from, to, told) => {
    const before = await machine.run(['sessions']);
    const { code, err } = await machine.run(['import', changed(name, [from, to])]);
    expect(err).toContain(told);
    expect(code).toBe(1);
    expect((await machine.run(['sessions'])).out.split('\n')).toHaveLength(before.out.split('\n').length);
  });

  test('reports skipped content of the file: settings, and messages that would be sent', async () => {
    const pending = '{"id":"q","message":{"text":"!touch /x","origin":{"kind":"user"}}}';
    const path = changed(
      'settings.json',
      [/"approvals":"ask"/, '"approvals":"all"'],
      [/"chats":\s*\[\s*\{/, `$&"queuedMessages":[${pending}],`],
    );
    const { code, err } = await machine.run(['import', path, '--session', 'ahp-session:/careful']);
    expect(err).toBe(
      '1 turn in 1 chat\nsettings that were not imported: approvals=all\n1 message put into the draft, not sent\n',
    );
    expect(code).toBe(0);
    const { out } = await machine.run(['export', 'careful']);
    const copy = JSON.parse(out);
    expect(copy.session.config.approvals).toBe('ask');
    expect(copy.chats[0]).toMatchObject({ draft: { text: '!touch /x' } });
    expect(copy.chats[0]).not.toHaveProperty('queuedMessages');
  });

  test('takes another agent and another folder', async () => {
    const path = changed('moved.json', [provider, '"provider":"nobody"'], [workingDirectory, nowhere]);
    const { code, out } = await machine.run([
      'import',
      path,
      '--provider',
      'demo',
      '--cwd',
      folder,
      '--json',
    ]);
    expect(code).toBe(0);
    const [line] = jsonLines(out);
    expect(line).toMatchObject({ type: 'imported', from: `ahp-session:/${id}`, chats: 1, turns: 1 });
    const shown = await machine.run([
      'sessions',
      'show',
      String(line?.['session']).replace('ahp-session:/', ''),
    ]);
    expect(shown.out).toContain('demo');
  });

  test('reads its standard input for -', async () => {
    const importing = machine.start(['import', '-', '--session', 'ahp-session:/piped']);
    importing.type(readFileSync(file('session.json'), 'utf8'));
    importing.endInput();
    expect(await importing.ended).toMatchObject({ code: 0, err: '1 turn in 1 chat\n' });
    expect(await machine.run(['import', '-'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('agenthost: standard input is not a session export'),
    });
  });

  test('reports text that is no JSON', async () => {
    writeFileSync(file('text.json'), '{"format": "agenthost-session", ');
    const { code, err } = await machine.run(['import', file('text.json')]);
    expect({ code, err }).toEqual({
      code: 1,
      err: `agenthost: ${file('text.json')} is not a session export (JSON): it ends too early\n`,
    });
  });

  test('reports an unreadable file, and the format that it reads', async () => {
    const told = async (path: string): Promise<string> => (await machine.run(['import', path])).err;
    expect(await told(file('nothing.json'))).toBe(
      `agenthost: ${file('nothing.json')} cannot be read: the file does not exist\n`,
    );
    expect(await told(folder)).toBe(`agenthost: ${folder} cannot be read: it is a folder\n`);
    for (const format of ['html', 'markdown']) {
      await machine.run(['export', id, '--format', format, '-o', file(`page.${format}`)]);
      expect(await told(file(`page.${format}`))).toBe(
        `agenthost: ${file(`page.${format}`)} is not a session export (JSON): only JSON can be imported, which \`export\` writes by default\n`,
      );
    }
  });
});
