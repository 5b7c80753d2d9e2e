import { type OpenChat, openChat, type RunningTurn } from '@agenthost/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EarlyUpdates } from '../src/acp/process/early-updates.ts';
import type { AcpProviderOptions } from '../src/acp/provider.ts';
import { RunningChildren, scriptedAgent, steps, temporaryFolder, toolCall } from './acp-chats.ts';
import type { Offer, Step } from './acp-scripted-agent.ts';

const eventually = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000 });

interface Stage {
  readonly chat: OpenChat;
  readonly children: RunningChildren;
  prompt(...list: Step[]): RunningTurn;
}

async function stage(offer: Offer = {}, options: Partial<AcpProviderOptions> = {}): Promise<Stage> {
  const children = new RunningChildren();
  const provider = scriptedAgent(offer, {}, { childRegistry: children, ...options });
  const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
  return { chat, children, prompt: (...list) => chat.prompt(steps(...list)) };
}

/** The error of a turn. */
async function errorOf({
  done,
}: RunningTurn): Promise<{ errorType: string; message: string; afterMs: number }> {
  const begun = performance.now();
  try {
    await done;
  } catch (error) {
    if (error instanceof Error && 'errorType' in error)
      return {
        errorType: String(error.errorType),
        message: error.message,
        afterMs: performance.now() - begun,
      };
    throw error;
  }
  throw new Error('the turn did not fail');
}

/** Expects that the next turn runs, if necessary with another process. */
async function expectGoesOn({ chat }: Stage): Promise<void> {
  const next = chat.prompt('hi');
  await next.done;
  expect(next.output.text).toBe('You said: hi');
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('an agent that misbehaves', () => {
  it('sends answers without a request or with strange ids: the host ignores them and writes nothing to stderr', async () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { chat, prompt } = await stage();
    const answers = [-1, 0, 1, 2_000_000, 1.5, 'two', '\u001b[2J', null, {}, [1]].map((id) => ({
      send: { id, result: { stopReason: 'refusal', sessionId: 'stolen' } },
    }));
    const errors = [-1, 'two', null].map((id) => ({ send: { id, error: { code: -1, message: 'no' } } }));
    const turn = prompt(...answers, ...errors, { send: { id: 0, result: {} } }, { say: 'fine' });
    await turn.done;
    expect(turn.output.text).toBe('fine');
    const next = chat.prompt('hi');
    await next.done;
    expect(next.output.text).toBe('You said: hi');
    expect(shown).not.toHaveBeenCalled();
  });

  it('writes garbage, partial messages and unknown methods: the host handles the messages in between', async () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { prompt } = await stage();
    const garbage = [
      '\u0000\u0001\ufffd\u001b]0;title\u0007',
      '{"jsonrpc":"2.0","method":"session/upd',
      '[{"jsonrpc":"2.0","id":1,"method":"x"}]',
      'null',
      '{}',
      '{"jsonrpc":"1.0","id":1,"method":"fs/read_text_file"}',
      '{"jsonrpc":"2.0","id":{"a":1},"method":"fs/read_text_file"}',
      '{"jsonrpc":"2.0","method":7}',
      '{"jsonrpc":"2.0","method":"session/update"}',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{}}}',
      '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{}}}',
    ].map((line) => ({ write: { text: `${line}\n` } }));
    const turn = prompt(
      ...garbage,
      { ask: { method: 'no/such', params: {} } },
      { sayAnswer: true },
      { ask: { method: 'fs/read_text_file', params: { path: 7 } } },
      { say: ' fine' },
    );
    await turn.done;
    expect(turn.output.text).toMatch(/-32601.* fine$/);
    expect(shown).not.toHaveBeenCalled();
  });

  it('sends deeply nested values: they are cut at the depth that clients accept', async () => {
    const { prompt } = await stage();
    const depth = 20_000;
    const bomb = `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
    const update = (status: string): string =>
      `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"deep","status":"${status}","rawInput":${bomb},"rawOutput":${bomb}}`;
    // The agent's own JSON.stringify could not produce it.
    const lines = ['in_progress', 'completed'].map(
      (status) =>
        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":${update(status)}}}\n`,
    );
    const before = prompt({ saySession: true });
    await before.done;
    const sessionId = before.output.text.split(' ')[1] ?? '';
    const turn = prompt(...lines.map((text) => ({ write: { text: text.replace('SESSION', sessionId) } })), {
      say: 'fine',
    });
    await turn.done;
    expect(turn.output.text).toBe('fine');
    const [call] = turn.output.calls;
    expect(call).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(call?.result).length).toBeLessThan(2_000);
  });

  it('[CHAT-5] closes its output and ignores SIGTERM: its turn ends at once with that reason, and it is killed', async () => {
    const staged = await stage({ ignoresTerm: true }, { killGraceMs: 3_000 });
    const error = await errorOf(staged.prompt({ say: 'half' }, { closeFd: 1 }, { waitForCancel: 'never' }));
    expect(error).toMatchObject({
      errorType: 'agentExited',
      message: 'Test agent closed its connection without exiting, and was stopped',
    });
    // Before the grace period after TERM has passed.
    expect(staged.children.running.size).toBe(1);
    await eventually(() => expect(staged.children.running.size).toBe(0));
  });

  it('closes its input and continues: its turn ends at the first failed write', async () => {
    const staged = await stage({ ignoresTerm: true }, { killGraceMs: 100 });
    const asks = { requests: { method: 'fs/read_text_file', params: { path: 7 }, count: 3 } };
    const error = await errorOf(staged.prompt({ closeFd: 0 }, asks, { waitForCancel: 'never' }));
    expect(error).toMatchObject({ errorType: 'agentExited' });
    expect(error.message).toContain('closed its connection');
    await eventually(() => expect(staged.children.running.size).toBe(0));
  });

  it('[CHAT-5] exits while a grandchild holds its pipes open: the turn ends with its exit code', async () => {
    const staged = await stage();
    const hold = 'setsid sleep 5 <&- & echo done';
    const error = await errorOf(staged.prompt({ holdPipes: hold }, { exit: 3 }));
    expect(error.message).toContain('exit code 3');
    expect(error.afterMs).toBeLessThan(4_500);
    await expectGoesOn(staged);
  });

  it('sends thousands of requests at once: it is stopped', async () => {
    const staged = await stage();
    const asks = {
      requests: { method: 'elicitation/create', params: { mode: 'form', message: 'x' }, count: 5_000 },
    };
    const error = await errorOf(staged.prompt(asks, { waitForCancel: 'never' }));
    expect(error).toMatchObject({ errorType: 'agentError' });
    expect(error.message).toMatch(/^Test agent was stopped: .* more than 1024 unanswered requests/);
    expect(staged.chat.host.exits).toHaveLength(1);
    await expectGoesOn(staged);
  });

  it('sends a long text in one message: it is shown in pieces, without a split character', async () => {
    const { prompt } = await stage();
    const text = 'é🙂x'.repeat(100_000);
    const turn = prompt({ say: text });
    await turn.done;
    expect(turn.output.text).toBe(text);
    const pieces = turn.output.events.flatMap((event) => (event.kind === 'markdown' ? [event.text] : []));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024 + 1);
    for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
  });

  it('sends updates of a closed or unknown session: they are dropped beyond a small limit', async () => {
    const staged = await stage();
    const before = staged.prompt({ saySession: true });
    await before.done;
    await staged.chat.session.close();
    const early = new EarlyUpdates();
    const big = { type: 'notice' as const, text: 'x' };
    for (let index = 0; index < 1_000; index += 1) early.keep(`session ${index % 40}`, big, 1024 * 1024);
    const kept = Array.from({ length: 40 }, (_, index) => early.take(`session ${index}`).length);
    expect(kept.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(4);
  });

  it('floods with invisible updates: the host applies backpressure', async () => {
    const { chat, prompt } = await stage();
    const room = Promise.withResolvers<void>();
    let isWaiting = false;
    vi.spyOn(chat.host, 'ready').mockImplementation(() => {
      isWaiting = true;
      return room.promise;
    });
    const flood = {
      flood: { update: { sessionUpdate: 'usage_update', used: 1, size: 2 }, count: 20_000 },
    };
    const turn = prompt(flood, { say: 'fine' });
    await eventually(() => expect(isWaiting).toBe(true));
    expect(turn.output.events.filter(({ kind }) => kind === 'usage')).toHaveLength(1);
    room.resolve();
    await turn.done;
    expect(turn.output.text).toBe('fine');
  });

  it('sends an update that cannot be applied: later updates are applied', async () => {
    const logged: string[] = [];
    const { chat, prompt } = await stage(
      {},
      { log: (level, message) => logged.push(`${level}: ${message}`) },
    );
    vi.spyOn(chat.host, 'title').mockImplementation(() => {
      throw new Error('no title today');
    });
    const turn = prompt({ update: { sessionUpdate: 'session_info_update', title: 'x' } }, toolCall('t'), {
      say: 'fine',
    });
    await turn.done;
    expect(turn.output.text).toBe('fine');
    expect(logged).toContain('warn: a message of an agent could not be applied');
  });
});
