import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ModelStage, textOf } from './model-chat.ts';

let stage: ModelStage;
beforeEach(() => {
  stage = new ModelStage();
});
afterEach(() => stage.end());

/** The model makes this call, and then ends. */
async function callTool(name: string, input: object, config: Record<string, unknown> = {}) {
  stage.mock.on({ hasToolResult: false }, { toolCalls: [{ name, arguments: JSON.stringify(input) }] });
  stage.mock.on({ hasToolResult: true }, { content: 'Done.' });
  const chat = await stage.chat('openai', {}, { config });
  return { chat, ...chat.prompt('Do it') };
}

/** What the model got of its calls. */
const results = (): string[] => stage.lastMessages.filter(({ role }) => role === 'tool').map(textOf);

const put = (name: string, text: string): void => writeFileSync(join(stage.folder, name), text);
const get = (name: string): string => readFileSync(join(stage.folder, name), 'utf8');

describe('a change of a file', () => {
  test('shows the difference and waits for approval; the file is written afterwards', async () => {
    put('a.txt', 'one\ntwo\n');
    const { output, done } = await callTool('edit_file', {
      path: 'a.txt',
      old_text: 'two',
      new_text: '$& three',
    });
    const call = await output.callIn('pending-confirmation');
    expect(call.shown).toMatchObject({ kind: 'edit', edits: [{ before: {}, after: {} }] });
    expect(get('a.txt')).toBe('one\ntwo\n');
    call.answer({ approved: true });
    await done;
    expect(get('a.txt')).toBe('one\n$& three\n');
    expect(call.result).toMatchObject({ success: true, content: [{ type: 'fileEdit' }] });
    expect(output.fileChanges.at(-1)).toMatchObject({ before: 'one\ntwo\n', after: 'one\n$& three\n' });
    expect(output.violations).toEqual([]);
  });

  test('that is denied is not made, and the model gets what the person said', async () => {
    const { output, done } = await callTool('write_file', { path: 'a.txt', content: 'x' });
    (await output.callIn('pending-confirmation')).answer({
      approved: false,
      reason: 'denied',
      message: 'Not here',
      suggestion: { text: 'Use b.txt', origin: { kind: 'user' } },
    });
    await done;
    expect(() => get('a.txt')).toThrow('ENOENT');
    expect(results()).toEqual([expect.stringMatching(/denied this call[^]*Not here[^]*Use b\.txt/)]);
    expect(output.text).toBe('Done.');
    expect(output.violations).toEqual([]);
  });

  test('that a hook has denied is not made, and the model does not take its reason for a word of the person', async () => {
    const { output, done } = await callTool('write_file', { path: 'a.txt', content: 'x' });
    (await output.callIn('pending-confirmation')).answer({
      approved: false,
      reason: 'denied',
      by: 'hook',
      message: 'A hook has denied the call: not here',
    });
    await done;
    expect(() => get('a.txt')).toThrow('ENOENT');
    expect(results()).toEqual(['A hook has denied the call: not here. It was not run.']);
  });

  test('may be edited by the person who approves it', async () => {
    const { output, done } = await callTool('write_file', { path: 'a.txt', content: 'x' });
    const call = await output.callIn('pending-confirmation');
    expect(call.shown).toMatchObject({ editable: true });
    call.answer({ approved: true, toolInput: '{"path":"b.txt","content":"y"}' });
    await done;
    expect(get('b.txt')).toBe('y');
  });

  test('fits the file as it is after the answer', async () => {
    put('a.txt', 'one two');
    const { output, done } = await callTool('edit_file', { path: 'a.txt', old_text: 'two', new_text: '2' });
    const call = await output.callIn('pending-confirmation');
    put('a.txt', 'something else');
    call.answer({ approved: true });
    await done;
    expect(get('a.txt')).toBe('something else');
    expect(results()).toEqual([expect.stringContaining('does not occur')]);
    expect(call.status).toBe('completed');
  });

  test.each([
    ['text that occurs twice', { path: 'a.txt', old_text: 'a', new_text: 'b' }, 'occurs 2 times'],
    ['a missing file', { path: 'none', old_text: 'a', new_text: 'b' }, 'does not exist'],
    ['a path outside', { path: '../a.txt', old_text: 'a', new_text: 'b' }, 'outside the working directory'],
    ['a link out', { path: 'link/passwd', old_text: 'a', new_text: 'b' }, 'outside the working directory'],
    ['a wrong input', { path: 7, old_text: 'a', new_text: 'b' }, '"path": expected a string, got 7'],
  ])('with %s is refused without a question', async (_, input, message) => {
    put('a.txt', 'a a');
    symlinkSync('/etc', join(stage.folder, 'link'));
    const { output, done } = await callTool('edit_file', input);
    await done;
    expect(results()).toEqual([expect.stringContaining(message)]);
    expect(output.calls[0]?.questions).toEqual([]);
    expect(output.violations).toEqual([]);
  });

  test('by a patch changes all files or none', async () => {
    put('a.txt', 'one\ntwo\n');
    const patch =
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1 @@\n+b\n';
    const { output, done } = await callTool('apply_patch', { patch });
    const call = await output.callIn('pending-confirmation');
    expect(call.shown?.edits).toHaveLength(2);
    call.answer({ approved: true });
    await done;
    expect([get('a.txt'), get('new/b.txt')]).toEqual(['one\n2\n', 'b\n']);
  });

  test('by a patch that does not fit is refused', async () => {
    put('a.txt', 'else\n');
    const { done } = await callTool('apply_patch', {
      patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n two\n-three\n+3\n',
    });
    await done;
    expect(results()).toEqual([expect.stringContaining('does not fit a.txt')]);
  });
});

describe('a look', () => {
  test('at a file, a folder and by a search needs no approval', async () => {
    mkdirSync(join(stage.folder, 'src'));
    put('src/a.ts', 'const apple = 1;\n');
    put('b.md', 'apple\n');
    stage.mock.on(
      { hasToolResult: false },
      {
        toolCalls: [
          { name: 'list_files', arguments: '{}' },
          { name: 'list_files', arguments: '{"glob":"**/*.ts"}' },
          { name: 'search_files', arguments: '{"pattern":"ap+le","glob":"*.ts"}' },
          { name: 'search_files', arguments: '{"pattern":"apple","path":"/etc"}' },
          { name: 'read_file', arguments: '{"path":"/etc/passwd"}' },
        ],
      },
    );
    stage.mock.on({ hasToolResult: true }, { content: 'Done.' });
    const { done } = (await stage.chat('openai')).prompt('Look');
    await done;
    const [list, found, hits, outside, secret] = results();
    expect(list).toBe('b.md\nsrc/');
    expect(found).toBe('src/a.ts');
    // Without ripgrep the pattern is plain text.
    expect(hits).toMatch(/src\/a\.ts:1:const apple|ripgrep is not installed/);
    expect(outside).toContain('outside the working directory');
    expect(secret).toContain('outside the working directory');
  });
});

describe('a command', () => {
  test('runs in a terminal of the host after approval, and the model gets output and exit code', async () => {
    const { chat, output, done } = await callTool('run_command', { command: 'make' }, { sandbox: false });
    chat.host.onTerminal = (terminal) => {
      terminal.print('no rule\r\n');
      terminal.exit(2);
    };
    const call = await output.callIn('pending-confirmation');
    expect(call.shown).toMatchObject({ kind: 'execute' });
    expect(chat.host.terminals).toEqual([]);
    call.answer({ approved: true });
    await done;
    expect(chat.host.terminals[0]?.start).toMatchObject({
      command: 'make',
      // Keys of the host are not for commands.
      env: { MODEL_KEY: '' },
      use: { turnId: 'turn-1', toolCallId: call.id },
    });
    expect(results()).toEqual(['no rule\nExit code: 2']);
    expect(call.result).toMatchObject({
      success: false,
      content: [{ type: 'terminal', result: { exitCode: 2, preview: 'no rule\n' } }],
    });
  });

  test('in the background goes on, and can be read and stopped', async () => {
    const call = (name: string, input: object) => ({
      toolCalls: [{ name, arguments: JSON.stringify(input) }],
    });
    stage.mock.on(
      { hasToolResult: false, userMessage: 'start' },
      call('run_command', { command: 'serve', background: true }),
    );
    stage.mock.on(
      { hasToolResult: false, userMessage: 'stop' },
      call('background_command', { id: 'command-1', stop: true }),
    );
    stage.mock.on({ hasToolResult: true }, { content: 'Done.' });
    const chat = await stage.chat('openai', {}, { config: { sandbox: false } });
    const first = chat.prompt('start');
    (await first.output.callIn('pending-confirmation')).answer({ approved: true });
    await first.done;
    const [terminal] = chat.host.terminals;
    expect(terminal).toMatchObject({ isRunning: true, killCount: 0 });
    expect(terminal?.uses.at(-1)).toBeUndefined();
    await chat.prompt('stop').done;
    expect(terminal).toMatchObject({ isRunning: false, killCount: 1 });
  });

  test('of a cancelled turn is ended', async () => {
    const { chat, output, controller, done } = await callTool(
      'run_command',
      { command: 'sleep' },
      { sandbox: false },
    );
    (await output.callIn('pending-confirmation')).answer({ approved: true });
    await output.until(() => chat.host.terminals.length > 0 && output.calls[0]?.contents.length === 1);
    controller.abort(new Error('cancelled'));
    await expect(done).rejects.toThrow('cancelled');
    await new Promise((resolve) => setImmediate(resolve));
    expect(chat.host.terminals[0]?.killCount).toBe(1);
  });
});

test('a question is asked, and the model gets the answer', async () => {
  const { output, done } = await callTool('ask_user', { question: 'Which way?', options: ['Left', 'Right'] });
  const ask = await output.openAsk();
  expect(ask.request.questions).toMatchObject([{ kind: 'single-select', message: 'Which way?' }]);
  ask.accept({ question: { kind: 'selected', value: 'Right' } });
  await done;
  expect(results()).toEqual(['Right']);
});

test('a plan is shown', async () => {
  const steps = [
    { content: 'Look', status: 'completed' },
    { content: 'Change', status: 'in_progress' },
  ];
  const { output, done } = await callTool('update_plan', { steps });
  await done;
  expect(output.calls[0]?.result?.pastTenseMessage).toEqual({ markdown: '- [x] Look\n- [ ] ▸ Change' });
});

test('a worker works in a chat of its own and reports', async () => {
  stage.mock.on({ userMessage: 'Find it' }, { content: 'It is in a.txt.' });
  const { output, done } = await callTool('start_worker', { title: 'Finder', prompt: 'Find it' });
  await done;
  expect(output.workers).toHaveLength(1);
  expect(output.workers[0]?.turns[0]?.output.text).toBe('It is in a.txt.');
  expect(results()).toEqual(['It is in a.txt.']);
});

test('[CHAT-9] tools of clients and of the host are called by their names', async () => {
  stage.mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'open_page', arguments: '{"page":7}' }] });
  stage.mock.on({ hasToolResult: true }, { content: 'Done.' });
  const chat = await stage.chat('openai');
  chat.host.offered = [
    { clientId: 'c1', name: 'open.page', definition: { name: 'open.page', description: 'Opens a page' } },
  ];
  const turn = chat.prompt('Open');
  turn.output.onClientTool = () => ({
    success: true,
    pastTenseMessage: 'Opened',
    content: [{ type: 'text', text: 'page 7 is open' }],
  });
  await turn.done;
  expect(turn.output.clientCalls).toMatchObject([
    { clientId: 'c1', toolName: 'open.page', toolInput: '{"page":7}' },
  ]);
  expect(results()).toEqual(['page 7 is open']);
  expect(turn.output.calls).toEqual([]);
});

test('after the limit of calls the model has to answer', async () => {
  stage.mock.on({ predicate: (request) => request.tool_choice === 'none' }, { content: 'So far.' });
  stage.mock.on({}, { toolCalls: [{ name: 'list_files', arguments: '{}' }] });
  const chat = await stage.chat('openai', {}, { config: { maxToolCalls: 3 } });
  const { output, done } = chat.prompt('Go on for ever');
  await done;
  expect(output.calls).toHaveLength(3);
  expect(output.text).toBe('So far.');
  expect(output.events.filter(({ kind }) => kind === 'notify')).toHaveLength(1);
});

test('[CUST-1] a rule with globs reaches the model once, with a file that matches: attached, read or changed', async () => {
  mkdirSync(join(stage.folder, 'src'));
  for (const name of ['src/a.ts', 'src/b.ts', 'src/c.css', 'd.md']) put(name, name);
  const rules = [
    { id: 'ts', globs: ['src/**/*.ts'], text: '## Types\nUse tabs.' },
    { id: 'css', globs: ['*.css'], text: '## Colours\nUse names.' },
    { id: 'md', globs: ['./*.md'], text: '## Prose\nBe brief.' },
    { id: 'go', globs: ['**/*.go'], text: '## Never\nUse go.' },
  ];
  const read = (path: string, index: number) => ({
    name: 'read_file',
    id: `r${index}`,
    arguments: JSON.stringify({ path }),
  });
  stage.mock.on(
    { userMessage: 'Read', hasToolResult: false },
    { toolCalls: ['src/a.ts', 'src/b.ts'].map(read) },
  );
  stage.mock.on(
    { userMessage: 'Change', predicate: ({ messages }) => messages.at(-1)?.role !== 'tool' },
    {
      toolCalls: [
        { name: 'write_file', id: 'w1', arguments: JSON.stringify({ path: 'src/c.css', content: 'red' }) },
      ],
    },
  );
  stage.mock.on({}, { content: 'Done.' });
  const chat = await stage.chat('openai');
  const told = () => stage.lastMessages.map((each) => textOf(each)).join('\n');
  const countOf = (text: string): number => told().split(text).length - 1;
  await chat.prompt('Hello', { turnId: 't1', rules }).done;
  expect(told()).not.toContain('<rules>');
  await chat.prompt('Read', { turnId: 't2', rules }).done;
  expect([countOf('Use tabs.'), countOf('Use names.'), countOf('Be brief.')]).toEqual([1, 0, 0]);
  const changing = chat.prompt('Change', { turnId: 't3', rules });
  (await changing.output.callIn('pending-confirmation')).answer({ approved: true });
  await changing.done;
  expect([countOf('Use tabs.'), countOf('Use names.'), countOf('Be brief.')]).toEqual([1, 1, 0]);
  const attachments = [
    { type: 'resource' as const, label: 'd.md', uri: pathToFileURL(join(stage.folder, 'd.md')).href },
  ];
  const left = rules.filter(({ id }) => id !== 'css');
  await chat.prompt('Look', { turnId: 't4', rules: left, attachments }).done;
  expect([countOf('Be brief.'), countOf('Use go.')]).toEqual([1, 0]);
  expect(told()).toContain('These rules no longer hold: Colours');
});

test('[CUST-1] a custom agent gets only the tools that its file names, under the names of other programs too', async () => {
  stage.mock.on({}, { content: 'Done.' });
  const chat = await stage.chat('openai');
  const { output, done } = chat.prompt('Look', { tools: ['Read', 'Bash(git:*)', 'fetch_url', 'Teleport'] });
  await done;
  const offered = (stage.requests.at(-1)?.tools ?? []).map((tool) => tool.function.name);
  expect(offered.toSorted()).toEqual([
    'background_command',
    'fetch_url',
    'list_files',
    'read_file',
    'run_command',
  ]);
  expect(output.events.filter(({ kind }) => kind === 'notify')).toMatchObject([
    { content: 'The custom agent names tools that do not exist here: Teleport' },
  ]);
});
