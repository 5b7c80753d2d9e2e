import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT_URI } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';
import { hasTmux, type TmuxWindow } from './tmux.ts';

const stage = new Stage();
const isHere = hasTmux();

/** The window that most tests share, each with a session of its own: a start of the program takes longer than such a test. */
let shared: TmuxWindow | undefined;

beforeAll(async () => {
  if (isHere) await stage.serve();
});

afterAll(() => stage.dispose());

/** Opens `agenthost chat` in a terminal and waits for the list of sessions. */
async function list(size?: { columns?: number; rows?: number }): Promise<TmuxWindow> {
  const window = await stage.chat([], size);
  await window.until('Filter:');
  return window;
}

/** Begins a session in a window that shows the list. */
async function begin(window: TmuxWindow): Promise<void> {
  await window.press('C-n');
  await window.until('New session');
  await window.press('Enter');
  await window.until('Nothing was said here yet.');
  await window.until(/ idle\n/);
}

/** A new session in the shared window. */
async function newChat(): Promise<TmuxWindow> {
  if (shared === undefined) shared = await list();
  else {
    // The test before may have left it anywhere: closes overlays, then the chat.
    for (let step = 0; !(await shared.screen()).includes('Filter:'); step += 1) {
      if (step > 5) throw new Error(`no way to the list from\n${await shared.screen()}`);
      await shared.press('Escape');
      await shared.settled();
    }
  }
  await begin(shared);
  return shared;
}

/** The session that changed last, as another client sees it. */
async function newestSession(): Promise<{ readonly model: string | undefined; readonly config: unknown }> {
  const client = await stage.client();
  const { items } = await client.request('listSessions', { channel: ROOT_URI, limit: 1 });
  const session = await client.sessions.open(items[0]?.resource ?? '');
  const model = session.chat.mirror.confirmed.turns.at(-1)?.usage?.model;
  const config = session.mirror.confirmed.config?.values;
  client.close();
  return { model, config };
}

async function say(window: TmuxWindow, text: string): Promise<void> {
  await window.type(text);
  await window.press('Enter');
}

/** Whether a frame of this size is on the screen: a full-width line, and the connection at the bottom. */
function isWhole(screen: string, columns: number, rows: number): boolean {
  const lines = screen.trimEnd().split('\n');
  return (
    lines.includes('─'.repeat(columns)) &&
    lines.length === rows &&
    lines[rows - 1]?.startsWith('connected to') === true
  );
}

/** Alternate screen, cursor, line wrapping. */
const terminalOf = (window: TmuxWindow): Promise<string[]> =>
  Promise.all(['alternate_on', 'cursor_flag', 'wrap_flag'].map((name) => window.ask(name)));
const untouched = ['0', '1', '1'];

describe.skipIf(!isHere)('agenthost chat', () => {
  test('streams an answer as Markdown, below the prompt, with key hints', async () => {
    const window = await newChat();
    await say(window, 'say A **bold** word, `code` and [a link](https://example.org)');
    await window.until(/A bold word, code and a link \(https:\/\/example\.org\)/);
    // The hints follow the end of the turn, which comes after its text.
    const screen = await window.until('Enter send');
    expect(screen).toContain('› say A **bold**');
    expect(screen).toContain('A bold word, code');
    expect(screen).toContain('? help');
    expect(screen).toContain('connected to 127.0.0.1');
  });

  test('chooses the model of the next messages, and changes settings of the session for every client', async () => {
    const window = await newChat();
    await window.press('C-g');
    await window.until('Settings of this session');
    await window.press('Enter');
    await window.until('type to filter');
    await window.type('fast');
    await window.until((screen) => screen.includes('▸ demo-fast') && !screen.includes('pace of a model'));
    await window.press('Enter');
    await window.until(/Model +demo-fast/);
    // Approvals are a choice; the host looks up values of nickname.
    await window.press('Down');
    await window.until(/▸ Ask before writing/);
    await window.press('Down', 'Enter');
    await window.until('Nickname');
    await window.type('rad');
    await window.until('▸ Radia');
    await window.press('Enter');
    await window.until(/Nickname +Radia/);
    await window.press('Down', 'Enter');
    await window.until('Deny all');
    await window.press('Down', 'Enter');
    await window.until(/Approvals +Allow edits/);
    await window.press('Down', 'Enter');
    await window.until('Instructions to the agent');
    await window.type('Be brief.');
    await window.press('Enter');
    await window.until(/Instructions +Be brief\./);
    await window.press('Escape');
    await window.until('demo (demo-fast)');
    await say(window, 'say with another model');
    await window.until(/ idle\n/);
    expect(await newestSession()).toMatchObject({
      model: 'demo-fast',
      config: { approvals: 'edits', nickname: 'Radia', instructions: 'Be brief.' },
    });
    await say(window, 'say once more');
    await window.until(/once more\n[^]* idle\n|idle\n[^]*once more/);
    expect((await newestSession()).model).toBe('demo-fast');
  });

  test('starts with a given model, and lists the models when that one does not exist', async () => {
    const window = await stage.chat(['--model', 'demo-fats']);
    const screen = await window.until('exit code 2');
    expect(screen.replaceAll('\n', '')).toContain(
      '--model: no agent has a model demo-fats; demo has demo, demo-fast',
    );
    const other = await stage.chat(['--model', 'demo-fast']);
    await other.until('Filter:');
    await begin(other);
    await say(other, 'say fast');
    await other.until('demo (demo-fast)');
  });

  test('shows an answer while it streams, and stops it', async () => {
    const window = await newChat();
    await say(window, 'stream 900 every 30');
    await window.until('[12]');
    expect(await window.screen()).toContain('working');
    await window.press('C-x');
    const screen = await window.until('stopped');
    expect(screen).not.toContain('[900]');
  });

  test('approves a call, denies one with a reason, and runs one with its input changed', async () => {
    const window = await newChat();
    await say(window, 'write one.txt first');
    await window.until('Allow once');
    await window.press('y');
    await window.until('one.txt is written');
    expect(await readFile(join(stage.folder, 'one.txt'), 'utf8')).toContain('first');

    await say(window, 'write two.txt second');
    await window.until('▸ Allow once');
    await window.press('r');
    await window.until('Reason:');
    await say(window, 'not today');
    await window.until('denied (not today)');

    await say(window, 'write three.txt third');
    await window.until('▸ Allow once');
    await window.press('e');
    await window.until('│ {"path"');
    await window.press('C-k');
    await window.type('{"path":"three.txt","content":"other words"}');
    await window.press('C-s');
    await window.until('three.txt is written');
    expect(await readFile(join(stage.folder, 'three.txt'), 'utf8')).toBe('other words');
  });

  test('keeps the focus on the message when a question comes up while somebody types', async () => {
    const window = await newChat();
    await window.type('half a sentence yy');
    const client = await stage.client();
    const { items } = await client.request('listSessions', { channel: ROOT_URI, limit: 1 });
    const session = await client.sessions.open(items[0]?.resource ?? '');
    session.prompt('ask');
    await window.until('Tab to answer');
    expect(await window.screen()).toContain('› half a sentence yy');
    await window.press('Tab', 'n');
    expect(await window.until('denied')).toContain('› half a sentence yy');
    client.close();
  });

  test('asks each kind of question in a form, and sends the answers', async () => {
    const window = await newChat();
    await say(window, 'question form required');
    await window.until('2 to 40 characters');
    await window.type('Rye');
    await window.press('Enter');
    await window.until('▸ Weight');
    await window.press('C-u');
    await window.type('many');
    await window.press('Enter');
    await window.until('type a number');
    await window.press('BTab', 'C-u');
    await window.type('2.5');
    await window.press('Enter');
    await window.until('▸ Count');
    await window.type('3');
    await window.press('Enter');
    await window.until('▸ Sliced');
    await window.press('Down', 'Enter');
    await window.until('▸ Size');
    await window.press('Up', 'Enter');
    await window.until('▸ Toppings');
    await window.press('Space', 'Down', 'Space', 'Enter');
    const screen = await window.until('An order  answered');
    for (const line of [
      'Name: Rye',
      'Weight: 2.5',
      'Count: 3',
      'Sliced: no',
      'Size: Small',
      'Toppings: Seeds, Salt',
    ]) {
      expect(screen).toContain(line);
    }
  });

  test('insists on answers to required questions, skips and declines others', async () => {
    const window = await newChat();
    await say(window, 'question text required');
    await window.until('▸ Name');
    await window.press('C-s');
    await window.until('an answer is required');
    await window.press('C-x');
    await window.until('declined');
    await say(window, 'question text number');
    await window.until('▸ Name');
    await window.press('C-k', 'C-k');
    await window.press('C-s');
    expect(await window.until('Name: (skipped)')).toContain('answered');
  });

  test('queues, changes, reorders and removes messages while a turn runs, and steers it', async () => {
    const window = await newChat();
    await say(window, 'stream 2000 every 20');
    await window.until('[3]');
    for (const word of ['one', 'two', 'three']) await say(window, `say ${word}`);
    await window.until('3 queued messages');
    await window.press('C-q', 'Down', 'Down', 'u');
    await window.until(/2\. say three\n.*3\. say two/);
    await window.press('Up', 'x');
    await window.until('2 queued messages');
    await window.press('e');
    await window.until('edits a queued message');
    await window.type(' again');
    await window.press('Enter');
    await window.until('1. say three again');
    await window.type('say in between');
    await window.press('C-s');
    await window.until('in between');
    await window.press('C-x');
    await window.until('2 queued messages, held');
    await window.press('C-q', 'r');
    expect(await window.until(/three again\n[^]*\n two\n/)).not.toContain('held');
  });

  test('opens a second chat, and a read-only worker chat', async () => {
    const window = await newChat();
    await say(window, 'delegate say I am the worker');
    await window.until('The worker is done.');
    await window.press('C-t');
    await window.until('w worker');
    await window.press('w');
    await window.until('read-only');
    expect(await window.screen()).toContain('I am the worker');
    await window.press('C-o');
    await window.until('Chats of this session');
    await window.press('n');
    await window.until('Nothing was said here yet.');
    await say(window, 'say only in the second');
    await window.until(/\n only in the second\n/);
    await window.press('C-o');
    const list = await window.until('read-only');
    expect(list).toMatch(/default/);
    await window.press('Up', 'Up', 'Enter');
    expect(await window.until('The worker is done.')).toContain('chat 1 of 3');
  });

  test('proposes files at @ and commands at / while somebody types, and attaches a chosen file', async () => {
    await writeFile(join(stage.folder, 'proposal.md'), 'words');
    const window = await newChat();
    await window.type('look at @propo');
    await window.until('  @proposal.md');
    await window.press('Tab');
    await window.until((screen) => screen.includes('› look at @proposal.md') && !screen.includes('Tab take'));
    await window.press('C-u');
    await window.type('/sa');
    await window.until(/\/say +streams the text/);
    await window.press('Escape');
    await window.press('C-u');
    await window.type('say read @propo');
    await window.until('  @proposal.md');
    await window.press('Tab', 'Enter');
    expect(await window.until(/\n read @proposal\.md\n/)).toContain('+ proposal.md');
  });

  test('edits and resends an earlier message, which replaces all later turns', async () => {
    const window = await newChat();
    await say(window, 'say first');
    await window.until(/\n first\n/);
    await say(window, 'say second');
    await window.until(/\n second\n/);
    await window.press('C-t', 'Up', 'e');
    await window.until('replaces');
    await window.type(' thing');
    await window.press('Enter');
    const screen = await window.until(/\n first thing\n/);
    expect(screen).not.toContain('second');
  });

  test('shows the terminal of a running call', async () => {
    const window = await newChat();
    await say(window, 'run echo started; read word; echo got $word');
    await window.until('▸ Allow once');
    await window.press('y');
    await window.until('│ started');
    await window.press('C-t', 't');
    await window.until('Ctrl-] c claims it');
    await window.press('C-]', 'c');
    await window.until((screen) => !screen.includes('read-only'));
    await window.type('hello');
    await window.press('Enter');
    await window.until(/got hello/);
    expect(await window.until('ended with exit code')).toContain('got hello');
  });

  test('fits into 80 by 24 and into 40 columns, and shows the hidden parts again in a wider window', async () => {
    const window = await list({ columns: 120, rows: 40 });
    await begin(window);
    await say(
      window,
      'say Words that fill more than one line of a narrow window, 日本語の題名です, and on they go, finally',
    );
    // Once in the prompt and once in the answer.
    await window.until(/finally[^]*finally[^]*Type a message/);
    for (const [columns, rows] of [
      [80, 24],
      [40, 20],
    ] as const) {
      await window.resize(columns, rows);
      // The terminal shows remains of the old window until the program has redrawn the whole screen.
      const parts = [/Type a message/, /\? help/, /finally\n/];
      const screen = await window.until(
        (shown) => isWhole(shown, columns, rows) && parts.every((part) => part.test(shown)),
      );
      expect(screen).toContain('connected to');
    }
    await window.resize(120, 40);
    const wide = await window.until((shown) => isWhole(shown, 120, 40) && shown.includes('finally'));
    expect(wide).toContain('connected to');
  });

  test('pages back through a long chat, and returns to its end', async () => {
    const client = await stage.client();
    const session = await client.sessions.create({ turns: 1 });
    for (let turn = 1; turn <= 60; turn += 1) await session.prompt(`say answer ${turn}.`).result;
    client.close();
    const window = await stage.chat([session.uri]);
    await window.until(/\n answer 60\.\n/);
    await window.press(...Array.from({ length: 16 }, () => 'PPage'));
    const first = await window.until(/\n answer 1\.\n/);
    expect(first).toContain('60 turns');
    await window.press('C-End');
    expect(await window.until(/\n answer 60\.\n/)).not.toContain('60 turns');
  });

  test('shows the same in two windows on one session, and shares the draft', async () => {
    const one = await newChat();
    await say(one, 'title Shared thing');
    await one.until('Shared thing');
    const two = await list();
    await two.until('Shared thing');
    await two.type('Shared thing');
    await two.press('Enter');
    await two.until('Type a message');
    await one.type('say typed in one');
    await two.until('› say typed in one');
    await two.type(', sent from two');
    await two.press('Enter');
    await one.until('› say typed in one, sent from two');
    await one.until('Type a message');
    await say(one, 'ask');
    await two.until('▸ ');
    await two.until('question');
    await one.until('▸ ');
    await two.press('n');
    expect(await one.until((screen) => !screen.includes('── question'))).toContain('denied');
  });

  test('finishes a form in one window that was begun in another', async () => {
    const one = await newChat();
    await say(one, 'title Shared form');
    await one.until(/^Shared form/);
    const two = await list();
    await two.type('Shared form');
    await two.until(/1 of \d/);
    await two.press('Enter');
    await two.until('Type a message');
    await say(one, 'question text number required');
    await two.until('▸ Name');
    await one.until('▸ Name');
    await one.type('Begun here');
    await two.until('Begun here');
    await two.press('Tab', 'C-u');
    await two.type('7');
    await two.press('C-s');
    const screen = await one.until('answered');
    expect(screen).toContain('Name: Begun here');
    expect(screen).toContain('Weight: 7');
  });

  test('reports a lost host, and sends the messages written meanwhile when the host is back', async () => {
    const window = await newChat();
    await say(window, 'say before');
    await window.until(/\n before\n/);
    await stage.killHost();
    await window.until('connection lost');
    await say(window, 'say written while it was away');
    await stage.serve();
    await window.until(/\n written while it was away\n/);
    expect(await window.until(/connected to|reconnected to the host/)).not.toContain('connection lost');
  });

  test('restores the terminal on exit and on a signal', async () => {
    const window = await list();
    expect(await window.ask('alternate_on')).toBe('1');
    await window.press('C-d');
    const screen = await window.until('exit code 0');
    expect(screen).toContain('before');
    expect(screen).not.toContain('Filter:');
    expect(await terminalOf(window)).toEqual(untouched);

    const ended = await list();
    const program = execFileSync('ps', ['-o', 'pid=', '--ppid', await ended.ask('pane_pid')], {
      encoding: 'utf8',
    });
    process.kill(Number(program.trim()), 'SIGTERM');
    await ended.until('exit code 130');
    expect(await terminalOf(ended)).toEqual(untouched);
  });

  test('lists, filters, archives and removes sessions', async () => {
    const window = await newChat();
    await say(window, 'title Rare bird');
    await window.until('Rare bird');
    await window.press('Escape');
    await window.until('Filter:');
    await window.type('rare bird');
    await window.until(/1 of \d/);
    await window.press('C-a');
    await window.until('Nothing matches');
    await window.press('C-t');
    await window.until('archived');
    await window.press('C-x');
    await window.until('Remove “Rare bird”');
    await window.press('n');
    await window.until('Rare bird');
    await window.press('C-x');
    await window.until('Remove “Rare bird”');
    await window.press('y');
    expect(await window.until('Nothing matches')).not.toContain('Rare bird');
  });

  test('shows all keys at ?, and fails with a usage error without a terminal', async () => {
    const window = await newChat();
    await window.press('?');
    await window.until('Ctrl-S');
    await window.press('Escape');
    await window.until('Type a message');
    const { code, err } = await stage.run('chat');
    expect(code).toBe(2);
    expect(err).toContain('must be a terminal');
  });
});
