import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentText } from '@agenthost/client';
import type { ChatState } from '@agenthost/protocol';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sandboxState } from '../../packages/agents/src/model/tools/sandbox.ts';
import { findProgram } from '../../packages/agents/test/model/model-chat.ts';
import { seen } from '../terminals/stage.ts';
import { callsOf, ended, ModelHost, markdownOf, outcomesOf } from './model-host.ts';

findProgram('bwrap');
const sandbox = await sandboxState();
if (!sandbox.works) console.warn(`skipped: no sandbox: ${sandbox.reason}`);
let stage: ModelHost;
beforeAll(async () => {
  stage = new ModelHost();
  stage.write('user/rules/style.mdc', '---\ndescription: Style\nalwaysApply: true\n---\nUse tabs.\n');
  stage.write('user/skills/pdf/SKILL.md', '---\ndescription: Reads PDFs\n---\nUse pdftotext.\n');
  stage.write('user/commands/ship.md', '---\ndescription: Ships\n---\nShip version $1 to the shop.\n');
  await stage.start();
});
afterAll(() => stage.stop());
beforeEach(() => {
  stage.mock.clearFixtures();
  stage.mock.clearRequests();
});

test('[MCP-1] a turn streams text, runs tools of its own and of an MCP server at once, and follows rules, skills and commands', async () => {
  stage.plays(
    'Ship version 7',
    [
      ['read_file', { path: 'a.txt' }],
      ['list_files', {}],
      ['test__echo', { word: 'pear' }],
    ],
    'Shipped.',
  );
  const turn = await ended((await stage.session()).prompt('/ship 7'));
  expect(turn).toMatchObject({ state: 'complete', message: { text: '/ship 7' } });
  expect(outcomesOf(turn)).toEqual([
    ['read_file', 'completed', true],
    ['list_files', 'completed', true],
    [expect.stringContaining('echo'), 'completed', true],
  ]);
  expect(markdownOf(turn)).toBe('Let me see. Shipped.');
  expect(stage.heard('tool')).toEqual(['1\tapple', 'a.txt', 'echo {"word":"pear"}']);
  const [asked = ''] = stage.heard('user');
  expect(asked).toMatch(/Use tabs\.[^]*pdf: Reads PDFs[^]*Ship version 7 to the shop\./);
});

test('[MCP-1] an MCP server asks the model during a call; people allow it and see the answer, whose tokens are those of the turn', async () => {
  const fruit = { role: 'user', content: { type: 'text', text: 'Name a fruit' } };
  stage.mock.on({ userMessage: 'Name a fruit' }, { content: 'Pear' });
  stage.plays(
    'Ask it',
    [['test__sample', { requests: [{ messages: [fruit], systemPrompt: 'Be brief.' }] }]],
    'Done.',
  );
  const session = await stage.session({ approvals: 'ask' });
  const titles: unknown[] = [];
  const turn = await ended(session.prompt('Ask it'), async (event) => {
    if (event.type !== 'confirmation') return;
    titles.push(event.toolCall.confirmationTitle);
    await event.approve();
  });
  expect(titles).toEqual(['Let test ask the model?']);
  expect(outcomesOf(turn)).toEqual([
    [expect.stringContaining('sample'), 'completed', true],
    ['mcp_sampling', 'completed', true],
  ]);
  expect(stage.heard('tool')).toEqual([expect.stringContaining('"text":"Pear"')]);
  const asked = stage.requests.map(({ messages, max_tokens: most, tools = [] }) => [
    messages.length,
    most,
    tools.length > 0,
  ]);
  expect(asked).toEqual([
    [2, undefined, true],
    [2, 50, false],
    [4, undefined, true],
  ]);
});

test('[CHAT-7] a change waits for approval; a denial reaches the model with what the person said, in the same turn', async () => {
  const write = (name: string) => ['write_file', { path: name, content: 'new\n' }] as const;
  stage.plays('both', [write('yes.txt'), write('no.txt')], 'I see.');
  const session = await stage.session({ approvals: 'ask' });
  const turn = await ended(session.prompt('Write both'), async (event) => {
    if (event.type !== 'confirmation') return;
    expect(event.toolCall.edits?.items).toHaveLength(1);
    if (event.toolCall.toolInput === JSON.stringify(write('yes.txt')[1])) await event.approve();
    else await event.deny({ reasonMessage: 'Rather in docs' });
  });
  expect(outcomesOf(turn)).toEqual([
    ['write_file', 'completed', true],
    ['write_file', 'cancelled', undefined],
  ]);
  expect(readFileSync(join(stage.project, 'yes.txt'), 'utf8')).toBe('new\n');
  expect(() => readFileSync(join(stage.project, 'no.txt'))).toThrow('ENOENT');
  expect(stage.heard('tool')).toEqual([
    'Written: yes.txt',
    expect.stringMatching(/denied this call[^]*Rather in docs/),
  ]);
});

test('[CHAT-12] [CHAT-13] a message steers the turn while a question is open, a plan is shown, and a worker reports from its own chat', async () => {
  stage.mock.on({ userMessage: 'Find the pear' }, { content: 'It is in b.txt.' });
  stage.mock.on({ userMessage: 'Only pears' }, { content: 'Only pears, then.' });
  stage.plays(
    'Look around',
    [
      ['ask_user', { question: 'Where?', options: ['Left', 'Right'] }],
      ['update_plan', { steps: [{ content: 'Look', status: 'in_progress' }] }],
      ['start_worker', { title: 'Finder', prompt: 'Find the pear' }],
    ],
    'Done without steering.',
  );
  const session = await stage.session();
  const turn = await ended(session.prompt('Look around'), async (event) => {
    if (event.type !== 'inputRequest') return;
    await session.chat.steer('Only pears');
    await seen(
      session.chat.mirror,
      ({ steeringMessage }: ChatState) => steeringMessage === undefined || undefined,
    );
    const [question] = event.request.questions ?? [];
    await event.respond('accept', {
      [question?.id ?? '']: { state: 'submitted', value: { kind: 'selected', value: 'Right' } },
    });
  });
  expect(outcomesOf(turn)).toEqual([
    ['ask_user', 'completed', true],
    ['update_plan', 'completed', true],
    ['start_worker', 'completed', true],
  ]);
  expect(callsOf(turn)[1]).toMatchObject({ pastTenseMessage: { markdown: '- [ ] ▸ Look' } });
  expect(stage.heard('tool')).toEqual(['Right', 'The user sees the plan.', 'It is in b.txt.']);
  expect(markdownOf(turn)).toBe('Let me see. Only pears, then.');
  const worker = session.mirror.state.chats.find(({ resource }) => resource !== session.chat.mirror.uri);
  expect(worker).toMatchObject({ title: 'Finder' });
});

test('[TERM-5] a command runs in a terminal that other clients see and type in while it runs', async () => {
  stage.plays('Run it', [['run_command', { command: 'echo ready; read line; echo "got $line"' }]], 'It ran.');
  const session = await stage.session({ approvals: 'all' });
  const prompt = session.prompt('Run it');
  const uri = await seen(session.chat.mirror, ({ activeTurn }: ChatState) => {
    const blocks = callsOf(activeTurn ?? { responseParts: [] }).flatMap((call) =>
      call.status === 'running' ? (call.content ?? []) : [],
    );
    return blocks.flatMap((block) => (block.type === 'terminal' ? [block.resource] : []))[0];
  });
  const terminal = await stage.watching.terminal(uri);
  await seen(terminal.mirror, ({ content }) => contentText(content).includes('ready') || undefined);
  await terminal.input('pear\r');
  const turn = await prompt.result;
  expect(outcomesOf(turn)).toEqual([['run_command', 'completed', true]]);
  expect(stage.heard('tool')).toEqual([expect.stringMatching(/got pear\nExit code: 0/)]);
});

test.skipIf(!sandbox.works)(
  'a command in the sandbox sees neither the data of the host nor keys, and changes nothing outside',
  async () => {
    const command = [
      `cat ${stage.folder}/data/* ${stage.folder}/keys/* 2>/dev/null`,
      `ls ${stage.folder}/data ${stage.folder}/keys`,
      `cat /proc/${process.pid}/environ`,
      `echo x > ${stage.folder}/outside`,
      'echo in > inside && cat inside',
    ].join('; ');
    stage.plays('Look', [['run_command', { command }]], 'Done.');
    const turn = await ended((await stage.session({ approvals: 'all' })).prompt('Look'));
    const [said = ''] = stage.heard('tool');
    expect(said).toMatch(
      /environ: (No such file|Permission denied)[^]*Read-only file system[^]*\nin\nExit code: 0$/,
    );
    expect(said).not.toMatch(/sk-of-the-file|journal|mine/);
    expect(turn.responseParts.filter(({ kind }) => kind === 'systemNotification')).toEqual([]);
  },
);

test('[CHAT-5] a cancelled turn ends its command, and the next turn knows that it was stopped', async () => {
  stage.plays('Wait', [['run_command', { command: 'sleep 600' }]], 'Waited.');
  stage.mock.on({ userMessage: 'What now' }, { content: 'You stopped me.' });
  const session = await stage.session({ approvals: 'all' });
  const prompt = session.prompt('Wait');
  await seen(session.chat.mirror, ({ activeTurn }: ChatState) =>
    callsOf(activeTurn ?? { responseParts: [] }).find((call) => call.status === 'running' && call.content),
  );
  await prompt.cancel();
  expect(await prompt.result).toMatchObject({ state: 'cancelled' });
  expect(await ended(session.prompt('What now'))).toMatchObject({ state: 'complete' });
  expect(stage.heard('user').join('\n')).toContain('stopped');
});

test('[CHAT-22] [CHAT-23] a turn that failed with HTTP 500 is resumed with the results of its tools', async () => {
  stage.mock.on(
    { userMessage: 'Read', hasToolResult: false },
    { toolCalls: [{ name: 'read_file', arguments: '{"path":"a.txt"}' }] },
  );
  stage.mock.on({ hasToolResult: true }, { error: { message: 'out of order' }, status: 500 });
  const session = await stage.session();
  const prompt = session.prompt('Read');
  const failed = await prompt.result;
  expect(failed.responseParts.at(-1)).toMatchObject({
    kind: 'error',
    resumable: true,
    error: { message: expect.stringMatching(/HTTP 500.*6 attempts failed/) },
  });
  stage.mock.clearFixtures();
  stage.mock.on({ hasToolResult: true }, { content: 'It says apple.' });
  const resumed = await ended(await session.chat.resumeTurn(prompt.turnId));
  expect(resumed.state).toBe('complete');
  expect(markdownOf(resumed)).toBe('It says apple.');
  expect(stage.heard('tool')).toEqual(['1\tapple']);
});

test('a compaction and its summary are shown, and the next turn knows the summary only', async () => {
  stage.mock.on({ userMessage: 'replaced by your summary' }, { content: 'They like pears.' });
  stage.mock.on({}, { content: 'Noted.' });
  const session = await stage.session();
  await session.prompt('I like pears').result;
  const turn = await session.prompt('/compact').result;
  expect(turn.responseParts).toEqual([
    expect.objectContaining({
      kind: 'systemNotification',
      content: { markdown: expect.stringContaining('> They like pears.') },
    }),
  ]);
  await session.prompt('Which fruit?').result;
  const heard = stage.heard('user').join('\n');
  expect(heard).toContain('They like pears.');
  expect(heard).not.toContain('I like pears');
});
