import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Turn } from '@agenthost/protocol';
import { type OpenChat, openChat, type RecordedCall, type RecordingTurn } from '@agenthost/testkit';
import { describe, expect, it, vi } from 'vitest';
import { ACP_CATALOGUE } from '../src/acp/config/catalogue.ts';
import type { AcpProvider } from '../src/acp/provider.ts';
import { capturesAreThere, capturesFolder, nodeAgent, temporaryFolder } from './acp-chats.ts';

/** A recorded agent and its progress. */
interface Replay {
  readonly provider: AcpProvider;
  /** Resolves when the agent has received or sent `what` this many times. */
  played(what: string, count?: number): Promise<void>;
}

function replay(agent: string, capture = agent): Replay {
  const known = ACP_CATALOGUE.find(({ id }) => id === agent);
  let log = '';
  const watchers: (() => void)[] = [];
  const provider = nodeAgent(
    './acp-replay-agent.ts',
    [join(capturesFolder, `${capture}.ndjson`)],
    known ?? {},
    {
      log: (_level, message, fields) => {
        if (message !== 'agent stderr') return;
        log += `${String(fields?.['text'])}\n`;
        for (const watcher of watchers.splice(0)) watcher();
      },
    },
  );
  const played = async (what: string, count = 1): Promise<void> => {
    while (log.split(`played ${what}\n`).length <= count) {
      await new Promise<void>((resolve) => watchers.push(resolve));
    }
  };
  return { provider, played };
}

/** Answers the next question with the option that has this label of the agent. */
async function choose(output: RecordingTurn, label: string): Promise<RecordedCall> {
  const call = await output.callIn('pending-confirmation');
  const option = call.shown?.options?.find((known) => known.label === label);
  if (option === undefined) throw new Error(`no ${label} in ${JSON.stringify(call.shown?.options)}`);
  call.answer(
    option.kind === 'approve'
      ? { approved: true, selectedOption: option }
      : { approved: false, reason: 'denied', selectedOption: option },
  );
  return call;
}

const hello = 'Hello from the mock model. Done.';
const after = 'Tool finished, all good.';

/**
 * Runs a prompt, cancels it once the agent has it, and resumes the session, as at the end of every recording.
 */
async function cancelAndResume(
  { provider, played }: Replay,
  chat: OpenChat,
  options: { workingDirectory: string; promptCount: number; history?: Turn[] },
): Promise<{ cancelled: RecordingTurn; resumed: OpenChat }> {
  const turn = chat.prompt('SLOW please');
  await played('session/prompt', options.promptCount);
  turn.controller.abort();
  await turn.done;
  const { workingDirectory, history = [] } = options;
  const resumed = await openChat(provider, { workingDirectory, memory: chat.host.memory, history });
  await played('all');
  return { cancelled: turn.output, resumed };
}

describe.skipIf(!capturesAreThere)('recorded turns of real agents', () => {
  it('claude: a write is announced, completed, approved and done; the session is resumed', async () => {
    const workingDirectory = temporaryFolder();
    const recording = replay('claude');
    const chat = await openChat(recording.provider, { workingDirectory });

    const first = chat.prompt('hello there');
    await first.done;
    expect(first.output.text).toBe(hello);
    expect(first.output.lastUsage).toMatchObject({ inputTokens: 11, outputTokens: 7, cacheReadTokens: 0 });
    expect(first.output.lastUsage?._meta).toMatchObject({ contextTokens: 18, contextWindow: 200_000 });
    expect(chat.host.commandList.map(({ name }) => name)).toContain('deep-research');

    const second = chat.prompt('please WRITEFILE now');
    const call = await choose(second.output, 'Allow');
    await second.done;
    expect(call.start).toMatchObject({ toolName: 'Write', displayName: 'Edit' });
    expect(call.questions[0]).toMatchObject({
      invocationMessage: 'Write hello.txt',
      edits: [{ after: { uri: `file://${workingDirectory}/hello.txt` } }],
      options: [
        { label: 'Always Allow all Write', kind: 'approve' },
        { label: 'Allow', kind: 'approve' },
        { label: 'Reject', kind: 'deny' },
      ],
    });
    expect(call.result).toMatchObject({ success: true, pastTenseMessage: 'Write hello.txt' });
    expect(call.status).toBe('completed');
    expect(second.output.text).toBe(after);

    const end = await cancelAndResume(recording, chat, { workingDirectory, promptCount: 3 });
    expect(end.resumed.host.memory).toEqual(chat.host.memory);
    expect(end.cancelled.calls).toEqual([]);
    for (const output of [first.output, second.output, end.cancelled]) expect(output.violations).toEqual([]);
  });

  it('codex: a command runs before its approval, in a terminal of the agent', async () => {
    const workingDirectory = temporaryFolder();
    const recording = replay('codex');
    const chat = await openChat(recording.provider, { workingDirectory, config: { mode: 'read-only' } });
    expect(chat.host.configs.at(-1)?.values).toMatchObject({
      mode: 'read-only',
      collaboration_mode: 'default',
    });
    expect(recording.provider.describe().models.map(({ id }) => id)).toContain('mock-model');

    const first = chat.prompt('hello there');
    await first.done;
    expect(first.output.text).toMatch(/^Warning: Model metadata .*\n\nHello from the mock model. Done.$/s);
    expect(first.output.lastUsage).toMatchObject({ inputTokens: 11, outputTokens: 7, model: 'mock-model' });
    expect(chat.host.titles).toEqual(['hello there']);

    const second = chat.prompt('please RUNCMD ESCALATE now');
    const call = await choose(second.output, 'Yes, proceed');
    await second.done;
    expect(second.output.events.flatMap((event) => (event.kind === 'call' ? event.status : []))).toEqual([
      'streaming',
      'running',
      'pending-confirmation',
      'running',
      'completed',
    ]);
    expect(call.start.displayName).toBe('Run');
    expect(JSON.parse(call.shown?.toolInput ?? '')).toEqual({
      command: 'echo mock-cmd-output > ran.txt; echo ran',
      cwd: workingDirectory,
    });
    expect(call.result?.content).toEqual([{ type: 'text', text: 'ran\n' }]);

    const end = await cancelAndResume(recording, chat, { workingDirectory, promptCount: 3 });
    expect(end.resumed.host.titles).toEqual(['hello there']);
    for (const output of [first.output, second.output, end.cancelled]) expect(output.violations).toEqual([]);
  });

  it('gemini: a permission request announces its call; a missing session is replaced', async () => {
    const workingDirectory = temporaryFolder();
    const recording = replay('gemini');
    const chat = await openChat(recording.provider, { workingDirectory });
    expect(chat.host.configs.at(-1)).toMatchObject({
      values: { mode: 'default' },
      schema: {
        properties: { mode: { enum: ['default', 'autoEdit', 'yolo', 'plan'], sessionMutable: true } },
      },
    });
    expect(recording.provider.describe().models).toHaveLength(6);

    const first = chat.prompt('hello there');
    await first.done;
    expect(first.output.text).toBe(hello);
    expect(first.output.lastUsage).toMatchObject({
      inputTokens: 11,
      outputTokens: 7,
      model: 'gemini-3.8-flash',
    });

    const second = chat.prompt('please WRITEFILE now');
    const call = await choose(second.output, 'Allow');
    await second.done;
    expect(call.result).toMatchObject({ success: true, content: [{ type: 'fileEdit' }] });
    expect(second.output.fileChanges).toEqual([
      { uri: `file://${workingDirectory}/hello.txt`, after: 'hello written by mock\n' },
    ]);

    const end = await cancelAndResume(recording, chat, {
      workingDirectory,
      promptCount: 3,
      history: [
        {
          id: 'turn-1',
          message: { text: 'hello there', origin: { kind: 'user' } },
          responseParts: [{ kind: 'markdown', id: 'part-1', content: hello }],
          state: 'complete',
        },
      ],
    });
    // The load failed: the chat reports it, and another session replaces the old one.
    expect(end.resumed.host.memory).not.toEqual(chat.host.memory);
    const next = end.resumed.prompt('go on');
    await next.done;
    expect(next.output.events).toContainEqual({
      kind: 'notify',
      content: expect.stringMatching(/could not resume its earlier session.*Invalid session identifier/s),
    });
    expect(end.cancelled.text).toBe('w0 ');
    for (const output of [first.output, second.output, end.cancelled]) expect(output.violations).toEqual([]);
  });

  it('opencode: a file is written through the host, inside the working directory', async () => {
    const workingDirectory = temporaryFolder();
    const recording = replay('opencode');
    const chat = await openChat(recording.provider, { workingDirectory });
    // Only options, no modes and no models.
    expect(chat.host.configs.at(-1)?.schema.properties).toMatchObject({ mode: { enum: ['build', 'plan'] } });
    expect(recording.provider.describe().models.map(({ id }) => id)).toContain('mock/mock-model');

    const first = chat.prompt('hello there');
    await first.done;
    expect(first.output.text).toBe(hello);

    const second = chat.prompt('please WRITEFILE now');
    const call = await choose(second.output, 'Allow once');
    await second.done;
    expect(readFileSync(join(workingDirectory, 'hello.txt'), 'utf8')).toBe('hello written by mock\n');
    expect(call.result).toMatchObject({
      success: true,
      content: [{ type: 'fileEdit' }, { type: 'text', text: 'Wrote file successfully.' }],
      structuredContent: { output: 'Wrote file successfully.' },
    });
    expect(second.output.text).toBe(after);

    const end = await cancelAndResume(recording, chat, { workingDirectory, promptCount: 3 });
    // They are sent after the answer.
    await vi.waitFor(() => expect(end.resumed.host.commandList.map(({ name }) => name)).toContain('init'), {
      timeout: 30_000,
    });
    for (const output of [first.output, second.output, end.cancelled]) expect(output.violations).toEqual([]);
  });

  it('qwen: usage arrives in empty chunks; a write through the host completes a call without updates', async () => {
    const workingDirectory = temporaryFolder();
    const recording = replay('qwen');
    const chat = await openChat(recording.provider, { workingDirectory });
    expect(recording.provider.describe().models.map(({ name }) => name)).toEqual([
      'coder-model',
      'mock-model',
    ]);

    const first = chat.prompt('hello there');
    await first.done;
    expect(first.output.text).toBe(hello);
    expect(first.output.lastUsage).toEqual({ inputTokens: 11, outputTokens: 7, cacheReadTokens: 0 });

    const second = chat.prompt('please WRITEFILE now');
    const call = await choose(second.output, 'Allow');
    await second.done;
    expect(readFileSync(join(workingDirectory, 'hello.txt'), 'utf8')).toBe('hello written by mock\n');
    // The recording names the file relative to the working directory.
    expect(second.output.fileChanges.at(-1)).toEqual({
      uri: `file://${workingDirectory}/hello.txt`,
      after: 'hello written by mock\n',
    });
    expect(call.status).toBe('completed');
    // Two model calls in one turn.
    expect(second.output.lastUsage).toEqual({ inputTokens: 22, outputTokens: 14, cacheReadTokens: 0 });

    const end = await cancelAndResume(recording, chat, { workingDirectory, promptCount: 3 });
    for (const output of [first.output, second.output, end.cancelled]) expect(output.violations).toEqual([]);
  });

  it('[CHAT-7] opencode: a denied write is cancelled, and later updates of it change nothing', async () => {
    const workingDirectory = temporaryFolder();
    const recording = replay('opencode', 'opencode-reject');
    const chat = await openChat(recording.provider, { workingDirectory });
    const turn = chat.prompt('please WRITEFILE now');
    const call = await choose(turn.output, 'Reject');
    await turn.done;
    await recording.played('all');
    expect(call.status).toBe('cancelled');
    expect(call.result).toBeUndefined();
    expect(existsSync(join(workingDirectory, 'hello.txt'))).toBe(false);
    expect(turn.output.violations).toEqual([]);
  });

  it('gemini: a read of a missing file fails as in the recording, and so does its call', async () => {
    const workingDirectory = temporaryFolder();
    const recording = replay('gemini', 'gemini-reject');
    const chat = await openChat(recording.provider, { workingDirectory });
    const turn = chat.prompt('please WRITEFILE now');
    await turn.done;
    await recording.played('all');
    expect(turn.output.calls[0]?.result).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('Error checking existing file') },
    });
    expect(turn.output.text).toBe(after);
    expect(turn.output.violations).toEqual([]);
  });
});
