import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Turn } from '@agenthost/protocol';
import { openChat } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { scriptedAgent, steps, temporaryFolder } from './acp-chats.ts';
import type { Offer } from './acp-scripted-agent.ts';

const memory = { sessionId: 'earlier' };
const history: Turn[] = [
  {
    id: 'turn-1',
    message: { text: 'What is the word?', origin: { kind: 'user' } },
    responseParts: [
      { kind: 'reasoning', id: 'p0', content: 'not to be told' },
      { kind: 'markdown', id: 'p1', content: 'The word is xylophone.' },
    ],
    state: 'complete',
  },
];
const replayed = [
  { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'What is the word?' } },
  { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'The word is xylophone.' } },
  { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Old', status: 'completed' },
];
const canBoth = { agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } } };
const canLoad = { agentCapabilities: { loadSession: true } };
const broken = { code: -32603, message: 'gone' };

/** Opens a chat with a history and returns the methods that the agent received. */
async function reopen(
  offer: Offer,
  past: { memory?: unknown; history?: Turn[] } = { memory, history },
  told: { instructions?: string; context?: string[] } = {},
) {
  const chat = await openChat(scriptedAgent(offer), { workingDirectory: temporaryFolder(), ...past });
  const turn = chat.prompt(
    steps(
      { sayCalls: 'session/resume' },
      { say: '|' },
      { sayCalls: 'session/load' },
      { say: '|' },
      { sayCalls: 'session/new' },
      { say: '|' },
      { sayPrompt: true },
    ),
    told,
  );
  await turn.done;
  const [resume = [], load = [], created = [], prompt = []] = turn.output.text
    .split('|')
    .map((text) => JSON.parse(text) as unknown[]);
  return { chat, turn, resume, load, created, prompt };
}

describe('a chat with history', () => {
  it('is resumed without its history if the agent can resume', async () => {
    const { chat, resume, load, created, prompt, turn } = await reopen({ init: canBoth });
    expect(resume).toMatchObject([{ sessionId: 'earlier', mcpServers: [] }]);
    expect([load, created, prompt]).toEqual([[], [], []]);
    expect(turn.output.events.every(({ kind }) => kind === 'markdown')).toBe(true);
    expect(chat.host.memory).toEqual({ ...memory, turnId: 'turn-1', canReopen: true });
  });

  it('is loaded if the agent cannot resume, and the loaded history is not shown', async () => {
    const { load, created, turn } = await reopen({ init: canLoad, before: { 'session/load': replayed } });
    expect(load).toMatchObject([{ sessionId: 'earlier' }]);
    expect(created).toEqual([]);
    expect(turn.output.text).not.toContain('xylophone');
    expect(turn.output.calls).toEqual([]);
  });

  it('does not show history that arrives after the answer to loading', async () => {
    const { load, turn } = await reopen({ init: canLoad, after: { 'session/load': replayed } });
    expect(load).toHaveLength(1);
    expect(turn.output.text).not.toContain('xylophone');
    expect(turn.output.calls).toEqual([]);
  });

  it('is loaded when resuming fails', async () => {
    const { resume, load, created } = await reopen({ init: canBoth, errors: { 'session/resume': broken } });
    expect([resume.length, load.length, created.length]).toEqual([1, 1, 0]);
  });

  it('sends the instructions to a new session, but not again to a resumed one', async () => {
    const told = { instructions: 'Be brief.', context: ['They ran ls.'] };
    const past = { memory, history };
    const lost = await reopen({ init: canLoad, errors: { 'session/load': broken } }, past, told);
    expect(lost.prompt).toMatchObject([
      { text: expect.stringContaining('The word is xylophone.') },
      { text: 'Be brief.' },
      { text: 'They ran ls.' },
    ]);
    const resumed = await reopen({ init: canBoth }, past, told);
    expect(resumed.prompt).toEqual([{ type: 'text', text: 'They ran ls.' }]);
  });

  it('continues in a new session with a record when the old session is missing, and reports this once', async () => {
    const { chat, turn, created, prompt } = await reopen({
      init: canLoad,
      errors: { 'session/load': broken },
    });
    expect(created).toHaveLength(1);
    expect(chat.host.memory).not.toMatchObject(memory);
    expect(turn.output.events[0]).toEqual({
      kind: 'notify',
      content: expect.stringMatching(/could not resume its earlier session.*gone/),
    });
    expect(prompt).toMatchObject([{ type: 'text', text: expect.stringContaining('The word is xylophone.') }]);
    expect(JSON.stringify(prompt)).not.toContain('not to be told');

    const next = chat.prompt(steps({ sayPrompt: true }));
    await next.done;
    expect(next.output.events).toEqual([{ kind: 'markdown', text: '[]' }]);
  });

  it('continues with a record if the agent can neither resume nor load', async () => {
    const { turn, prompt } = await reopen({});
    expect(turn.output.events[0]?.kind).toBe('notify');
    expect(prompt).toHaveLength(1);
  });

  it('without turns starts a new session without a notice', async () => {
    const { turn, prompt } = await reopen({}, { memory });
    expect(turn.output.events.every(({ kind }) => kind === 'markdown')).toBe(true);
    expect(prompt).toEqual([]);
  });

  it('that the agent never had, such as a fork, starts with its record', async () => {
    const { turn, prompt } = await reopen({ init: canBoth }, { history });
    expect(prompt).toHaveLength(1);
    expect(turn.output.events.every(({ kind }) => kind === 'markdown')).toBe(true);
  });

  it('keeps its config when it is resumed', async () => {
    const modes = {
      currentModeId: 'ask',
      availableModes: [
        { id: 'ask', name: 'Ask' },
        { id: 'plan', name: 'Plan' },
      ],
    };
    const chat = await openChat(scriptedAgent({ init: canLoad, session: { modes } }), {
      workingDirectory: temporaryFolder(),
      memory,
      config: { mode: 'plan' },
    });
    const turn = chat.prompt(steps({ sayCalls: 'session/set_mode' }));
    await turn.done;
    expect(JSON.parse(turn.output.text)).toEqual([{ sessionId: 'earlier', modeId: 'plan' }]);
  });
});

describe('[SESS-20] further working directories', () => {
  const created = async (init?: NonNullable<Offer['init']>) => {
    const more = temporaryFolder();
    writeFileSync(join(more, 'a.txt'), 'apart');
    const agent = scriptedAgent(init === undefined ? {} : { init });
    const chat = await openChat(agent, {
      workingDirectory: temporaryFolder(),
      moreDirectories: [more],
    });
    const turn = chat.prompt(
      steps(
        { sayCalls: 'session/new' },
        { say: '|' },
        { ask: { method: 'fs/read_text_file', params: { path: join(more, 'a.txt') } } },
        { sayAnswer: true },
      ),
    );
    await turn.done;
    const [calls = '', answer = ''] = turn.output.text.split('|');
    return { agent, more, calls: JSON.parse(calls) as unknown[], answer };
  };

  it('[SESS-20] [ROOT-20] are passed to an agent that takes them, which then offers the capability', async () => {
    const init = { agentCapabilities: { sessionCapabilities: { additionalDirectories: {} } } };
    const { agent, more, calls, answer } = await created(init);
    expect(JSON.parse(answer)).toStrictEqual({ content: 'apart' });
    expect(calls).toMatchObject([{ additionalDirectories: [more] }]);
    expect(agent.describe().capabilities?.multipleWorkingDirectories).toStrictEqual({
      immutablePrimary: true,
    });
  });

  it('[SESS-20] [ROOT-20] are not passed to other agents', async () => {
    const { agent, calls } = await created(undefined);
    expect(calls[0]).not.toHaveProperty('additionalDirectories');
    expect(agent.describe().capabilities).not.toHaveProperty('multipleWorkingDirectories');
  });
});

describe('[CHAT-23] a turn that is resumed', () => {
  const began = { sessionId: 'earlier', turnId: 'failed', canReopen: true };

  /** Resumes a turn with this memory, and returns the text of the agent. */
  async function resume(saved: unknown, offer: Offer = { init: canBoth }): Promise<string> {
    const chat = await openChat(scriptedAgent(offer), {
      workingDirectory: temporaryFolder(),
      memory: saved,
      history,
    });
    const turn = chat.prompt(steps({ say: 'begun' }), { turnId: 'failed', isResumed: true });
    await turn.done;
    return turn.output.text;
  }

  it('continues in the session of the agent that has its message', async () => {
    expect(await resume(began)).toMatch(/^You said: .*Continue where you stopped/);
  });

  it('begins again if the session of the agent never got its message, or is lost', async () => {
    expect(await resume({ ...began, turnId: 'before' })).toBe('begun');
    const errors = { 'session/resume': broken, 'session/load': broken };
    expect(await resume(began, { init: canBoth, errors })).toBe('begun');
  });

  it('[CHAT-22] can be resumed only if the session of the agent can be opened again', async () => {
    for (const [init, expected] of [
      [canBoth, true],
      [canLoad, true],
      [{}, false],
    ] as const) {
      const provider = scriptedAgent({ init });
      const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
      expect(provider.canResumeTurns?.(chat.host.memory)).toBe(false);
      await chat.prompt(steps({ say: 'x' })).done;
      expect(provider.canResumeTurns?.(chat.host.memory)).toBe(expected);
    }
  });
});
