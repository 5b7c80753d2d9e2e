import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
// The host loads it on first use, which the simulated clock does not wait for.
import 'yaml';
import { type McpStage, mcpStage, SESSION } from './mcp-fixture.ts';

const HOOKS = '.agents/hooks/own.json';
type Commands = Readonly<Record<string, string>>;

/** Commands by event; `PreToolUse:Edit` has a matcher. */
const hooksOf = (commands: Commands, timeout = 60): string =>
  JSON.stringify({
    hooks: Object.fromEntries(
      Object.entries(commands).map(([key, command]) => {
        const [event = '', matcher = ''] = key.split(':');
        return [event, [{ matcher, hooks: [{ type: 'command', command, timeout }] }]];
      }),
    ),
  });

const write = (folder: string, path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

/** A session whose folder has hooks. */
const started = (commands: Commands, timeout?: number): Promise<McpStage> =>
  mcpStage({
    customizations: {},
    openTree: async () => {
      throw new Error('nothing is watched');
    },
    files: (folder) => write(folder, HOOKS, hooksOf(commands, timeout)),
  });

/** Starts a turn, and waits until the hooks are asked about. */
async function asked(stage: McpStage, turnId = 't1', text = 'hello'): Promise<string> {
  const message = { text, origin: { kind: 'user' } };
  await stage.client.act(stage.chat, { ...turnStarted(turnId), message });
  return stage.until(async () => {
    const call = await stage.lastCall();
    return call?.toolName === 'hooks' && call.status === 'pending-confirmation' ? call.toolCallId : undefined;
  });
}

async function answer(stage: McpStage, id: 'allow' | 'skip' | 'refuse', turnId = 't1'): Promise<void> {
  const toolCallId = (await stage.lastCall())?.toolCallId;
  const how =
    id === 'allow' ? { approved: true, confirmed: 'user-action' } : { approved: false, reason: 'denied' };
  const action = { type: 'chat/toolCallConfirmed', turnId, toolCallId, selectedOptionId: id, ...how };
  await stage.client.act(stage.chat, action);
}

/** Starts a turn whose hooks are allowed, and waits for the agent. */
async function allowed(stage: McpStage): Promise<void> {
  await asked(stage);
  await answer(stage, 'allow');
  await stage.until(() => stage.host.agent.turns.length > 0);
}

const ended = (stage: McpStage, count = 1) =>
  stage.until(async () => {
    const { state } = await stage.client.subscribe(stage.chat);
    return 'turns' in state && state.turns.length >= count ? state.turns.at(-1) : undefined;
  });

const callsOf = (turn: { responseParts: readonly { kind: string }[] } | undefined) =>
  (turn?.responseParts ?? []).flatMap((part) =>
    'toolCall' in part ? [(part as { toolCall: Record<string, unknown> }).toolCall] : [],
  );

async function hookState(stage: McpStage) {
  const { state } = await stage.client.subscribe(SESSION);
  const [container] = ('customizations' in state ? state.customizations : undefined) ?? [];
  return container !== undefined && 'children' in container ? container.children?.[0] : undefined;
}

test('[CUST-1] hooks run after one question, get the event as JSON, tell the model, and are shown in the turn', async () => {
  const stage = await started({
    SessionStart: 'echo "Branch $(basename "$PWD" >/dev/null; echo main)"',
    UserPromptSubmit: 'cat > prompt.json',
    Stop: 'echo done; echo "a warning" >&2; exit 1',
  });
  await asked(stage);
  expect(await stage.lastCall()).toMatchObject({
    confirmationTitle: 'Run these hooks on this machine?',
    toolInput: expect.stringContaining('UserPromptSubmit, at most 60 s: cat > prompt.json'),
    options: [{ id: 'allow', 'x-lasting': true }, { id: 'skip' }, { id: 'refuse' }],
  });
  expect(await hookState(stage)).toMatchObject({ _meta: { 'agenthost.hook': { allowed: false } } });
  await answer(stage, 'allow');
  await stage.until(() => stage.host.agent.turns.length > 0);
  expect(stage.host.agent.turn.input.context).toContain('A hook of the user says:\n\nBranch main');
  expect(JSON.parse(readFileSync(join(stage.folder, 'prompt.json'), 'utf8'))).toMatchObject({
    hook_event_name: 'UserPromptSubmit',
    prompt: 'hello',
    cwd: stage.folder,
  });
  expect(await hookState(stage)).toMatchObject({ _meta: { 'agenthost.hook': { allowed: true } } });
  stage.host.agent.turn.complete();
  const turn = await ended(stage);
  // A failed hook does not fail the turn.
  expect(turn).toMatchObject({ state: 'complete' });
  expect(callsOf(turn).at(-1)).toMatchObject({
    displayName: 'Hook own (Stop)',
    toolInput: 'echo done; echo "a warning" >&2; exit 1',
    success: false,
    pastTenseMessage: 'The hook own (Stop) failed: exit code 1',
    content: [{ type: 'text', text: 'done\na warning' }],
  });
  // After a restart nobody is asked, until the content changes.
  await stage.host.restart();
  const again = await stage.host.client('ada');
  await again.subscribe(SESSION);
  await again.subscribe(stage.chat);
  Object.assign(stage, { client: again });
  const before = stage.host.agent.turns.length;
  await again.act(stage.chat, turnStarted('t2'));
  await stage.until(() => stage.host.agent.turns.length > before);
  stage.host.agent.turn.complete();
  await ended(stage, 2);
  write(stage.folder, HOOKS, hooksOf({ Stop: 'touch other' }));
  await asked(stage, 't3');
});

test('[CUST-1] hooks that nobody allowed do not run; a refused one is disabled in its folder', async () => {
  const stage = await started({ UserPromptSubmit: 'touch ran' });
  await asked(stage);
  await answer(stage, 'skip');
  await stage.until(() => stage.host.agent.turns.length === 1);
  stage.host.agent.turn.complete();
  await ended(stage);
  await stage.client.act(stage.chat, turnStarted('t2'));
  await stage.until(() => stage.host.agent.turns.length === 2);
  stage.host.agent.turn.complete();
  await ended(stage, 2);
  await stage.host.restart();
  const again = await stage.host.client('ada');
  Object.assign(stage, { client: again });
  await again.subscribe(SESSION);
  await again.subscribe(stage.chat);
  await asked(stage, 't3');
  await answer(stage, 'refuse', 't3');
  await stage.until(() => stage.host.agent.turns.length === 3);
  expect(await hookState(stage)).toMatchObject({ enabled: false });
  expect(existsSync(join(stage.folder, 'ran'))).toBe(false);
});

test('[CUST-1] a hook can stop a message, and only by saying so', async () => {
  const stage = await started({ UserPromptSubmit: 'echo "no secrets, please" >&2; exit 2' });
  await asked(stage);
  await answer(stage, 'allow');
  const turn = await ended(stage);
  expect(turn?.responseParts.at(-1)).toMatchObject({
    kind: 'error',
    error: { errorType: 'hookBlocked', message: 'A hook has stopped the message: no secrets, please' },
  });
  expect(stage.host.agent.turns).toHaveLength(0);
});

test('[CUST-1] a hook before a tool call denies it by its answer, and one after it sees the result', async () => {
  const denial = {
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not there' },
  };
  const stage = await started({
    'PreToolUse:Edit|mcp__.*': `echo '${JSON.stringify(denial)}'`,
    'PostToolUse:Read': 'cat > after.json',
  });
  await allowed(stage);
  const { output } = stage.host.agent.turn;
  const edit = output.toolCall({ toolName: 'Edit', displayName: 'Edit' });
  let answered: unknown;
  void edit.confirm({ invocationMessage: 'Edit a.ts', toolInput: '{"path":"a.ts"}' }).then((given) => {
    answered = given;
  });
  expect(await stage.until(() => answered)).toStrictEqual({
    approved: false,
    reason: 'denied',
    by: 'hook',
    message: 'A hook has denied the call: not there',
  });
  const read = output.toolCall({ toolName: 'Read', displayName: 'Read' });
  read.run({ invocationMessage: 'Read a.ts', toolInput: '{"path":"a.ts"}' });
  let isOver = false;
  void read
    .complete({ success: true, pastTenseMessage: 'Read', content: [{ type: 'text', text: 'the text' }] })
    .then(() => {
      isOver = true;
    });
  await stage.until(() => isOver);
  expect(JSON.parse(readFileSync(join(stage.folder, 'after.json'), 'utf8'))).toMatchObject({
    tool_name: 'Read',
    tool_input: { path: 'a.ts' },
    tool_response: { success: true, text: 'the text' },
  });
});

test('[CUST-1] a hook ends at its time limit, and with its turn', async () => {
  const stage = await started(
    { UserPromptSubmit: 'echo $$ > pid; exec sleep 600', Stop: 'exec sleep 600' },
    5,
  );
  await asked(stage);
  await answer(stage, 'allow');
  await stage.until(() => existsSync(join(stage.folder, 'pid')) || undefined);
  await stage.host.advance(5_000);
  await stage.until(() => stage.host.agent.turns.length > 0);
  expect(await stage.lastCall()).toMatchObject({
    pastTenseMessage: 'The hook own (UserPromptSubmit) failed: it ran longer than 5 s',
  });
  stage.host.agent.turn.complete();
  await stage.until(async () => ((await stage.lastCall())?.status === 'running' ? true : undefined));
  await stage.client.act(stage.chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 1 });
  expect(await ended(stage)).toMatchObject({ state: 'cancelled' });
});
