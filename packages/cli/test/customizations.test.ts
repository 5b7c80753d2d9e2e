import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { processStartTime } from '@agenthost/host/agent';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../src/program/program.ts';
import { jsonLines, Machine, type RunningCli } from './cli-process.ts';
import { FakeContext } from './fake-context.ts';

const machine = new Machine();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-customizations-')));
let client: AhpClient;
let session: SessionHandle;
let id: string;
let host: RunningCli;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

beforeAll(async () => {
  write('project/.agents/rules/style.md', '---\ndescription: Style\n---\nUse tabs.\n');
  write('project/.agents/rules/bad.md', '---\nalwaysApply: perhaps\n---\nText.\n');
  const format = { matcher: 'Edit', hooks: [{ type: 'command', command: 'npm run format' }] };
  write('project/.agents/hooks/format.json', JSON.stringify({ hooks: { PostToolUse: [format] } }));
  write('agenthost.json', JSON.stringify({ roots: [folder] }));
  const { line, host: started } = await machine.serve('--config', join(folder, 'agenthost.json'));
  host = started;
  client = await connect(line.wsUrl, { token: line.token });
  const project = pathToFileURL(join(folder, 'project')).href;
  session = await client.sessions.create({ provider: 'demo', workingDirectories: [project] });
  id = session.uri.replace('ahp-session:/', '').slice(0, 8);
  // They are read without a key in the config.
  await shows(() => session.mirror.state.customizations?.length === 2);
}, 30_000);

afterAll(async () => {
  client?.close();
  await machine.dispose();
  rmSync(folder, { recursive: true });
});

/** Waits for the state of the session. */
function shows(holds: () => boolean): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = session.mirror.onChange(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
  });
}

test.each([
  [['customizations', 'list'], /^TYPE +STATE +NAME, DESCRIPTION\ndirectory +on /],
  [['comments'], /^ID +STATE +PLACE, COMMENT\n\S+ +open +\S+style\.md +Why\?\n/],
  [['config'], /^KEY +VALUE +SETTING\ndefaultAgent /],
  [['agents'], /^ {2}ID +NAME +DETAIL\n. claude /],
])('%s has the names of its columns on a terminal', async ([command = '', ...rest], shown) => {
  if (command === 'comments')
    await machine.run(['comment', id, join(folder, 'project/.agents/rules/style.md'), 'Why?']);
  const context = new FakeContext({ isTerminal: true });
  const { home } = machine;
  context.env = {
    LANG: 'C',
    NO_COLOR: '1',
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CONFIG_HOME: home,
  };
  const ofSession = ['customizations', 'comments'].includes(command) ? [id] : [];
  expect(await runCli(context, [command, ...rest, ...ofSession])).toBe(0);
  expect(context.out).toMatch(shown);
});

test('[CUST-21] agenthost customizations lists them with faults, and decides at each level', async () => {
  const cli = (...args: string[]) => machine.run(['customizations', ...args]);
  expect((await cli('list', id)).out).toBe(
    [
      'directory   on                .agents/rules (degraded)',
      '  .agents/rules/bad.md:2:14: alwaysApply: expected true or false',
      '  rule      on                bad',
      '  rule      on                style - Style',
      'directory   on                .agents/hooks',
      '  hook      on                format',
      '    asks before it runs',
      '    PostToolUse (Edit), at most 60 s: npm run format',
      '',
    ].join('\n'),
  );
  expect((await cli('disable', id, 'style', '--for', 'workspace')).out).toBe(
    '  rule      off (workspace)   style - Style\n',
  );
  expect((await cli('enable', id, '.agents/rules/style')).out).toContain('on (session)');
  const rows = jsonLines((await cli('reset', id, 'style', '--json')).out);
  expect(rows).toMatchObject([
    { name: 'style', enabled: false, inEffect: false, decisions: [{ kind: 'workspace', enabled: false }] },
  ]);
  expect(await cli('disable', id, 'other')).toMatchObject({
    code: 1,
    err: expect.stringContaining('the session has no customization other'),
  });
}, 60_000);

test('[CUST-2] a folder is published as a plugin with all kinds of children, one broken, and goes with its client', async () => {
  write('kit/plugin.json', '{"name": "Kit", "version": "2"}');
  write('kit/agents/tester.md', '---\ntools: Read\n---\nYou test.');
  write('kit/skills/pdf/SKILL.md', '---\ndescription: Reads PDFs\n---\nUse pdftotext.');
  write('kit/prompts/plan.prompt.md', 'Plan.');
  write('kit/commands/fix.md', 'Fix $ARGUMENTS.');
  write('kit/rules/ts.mdc', '---\nglobs: *.ts\n---\nNo any.');
  write('kit/rules/broken.mdc', '---\nglobs: [\n---\nText.');
  write('kit/hooks/hooks.json', '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}');
  write('kit/.mcp.json', '{"mcpServers": {"db": {"command": "db-server"}}}');
  const publisher = machine.start(['customizations', 'publish', id, join(folder, 'kit')]);
  const kit = () => session.mirror.state.customizations?.find((each) => each.id === 'folder-kit');
  await shows(() => kit() !== undefined);
  expect(kit()).toMatchObject({
    type: 'plugin',
    clientId: expect.any(String),
    load: { kind: 'degraded', message: expect.stringMatching(/^rules\/broken\.mdc:\d+:\d+: /) },
    children: [
      { type: 'agent', name: 'tester', tools: ['Read'] },
      { type: 'skill', name: 'pdf' },
      { type: 'skill', name: 'fix' },
      { type: 'prompt', name: 'plan' },
      { type: 'rule', name: 'ts', globs: ['*.ts'] },
      { type: 'hook', name: 'hooks' },
      { type: 'mcpServer', name: 'db' },
    ],
  });
  process.kill(publisher.pid, 'SIGINT');
  await publisher.ended;
  await shows(() => kit() === undefined);
}, 60_000);

test('[CUST-1] a hook does not outlive a killed host', async () => {
  const sleeping = { hooks: [{ type: 'command', command: 'echo $$ > ../pid; exec sleep 600' }] };
  write('project/.agents/hooks/format.json', JSON.stringify({ hooks: { UserPromptSubmit: [sleeping] } }));
  await shows(() => JSON.stringify(session.mirror.state.customizations).includes('UserPromptSubmit'));
  session.prompt('say hi').result.catch(() => undefined);
  await shows(() => session.toolConfirmations().length > 0);
  await session.toolConfirmations()[0]?.approve();
  const file = join(folder, 'pid');
  await expect
    .poll(() => existsSync(file) && readFileSync(file, 'utf8').trim(), { timeout: 20_000 })
    .toMatch(/^\d+$/);
  const pid = Number(readFileSync(file, 'utf8'));
  process.kill(host.pid, 'SIGKILL');
  await host.ended;
  client.close();
  expect(await processStartTime(pid)).toBeDefined();
  await machine.serve('--config', join(folder, 'agenthost.json'));
  expect(await processStartTime(pid)).toBeUndefined();
}, 60_000);
