import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@agenthost/protocol';
import { openChat } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { readTraits } from '../src/acp/process/agent-traits.ts';
import { capturesAreThere, capturesFolder, scriptedAgent, steps, temporaryFolder } from './acp-chats.ts';
import type { Offer, Step } from './acp-scripted-agent.ts';

const message = (text: string): Message => ({ text, origin: { kind: 'user' } });
const method = '_session/steering';
const supported = { _meta: { steering: { supported: true } } };
const takes: Offer = { init: supported, results: { [method]: { outcome: 'injected' } } };

/** Opens a chat with this agent, starts a turn with these steps, and steers it. */
async function steered(offer: Offer, ...list: Step[]) {
  const chat = await openChat(scriptedAgent(offer), { workingDirectory: temporaryFolder() });
  const turn = chat.prompt(steps(...list));
  const answer = chat.session.steer?.(message('the other way'));
  return { chat, turn, answer };
}

const sayBoth: Step[] = [{ sayCalls: method }, { say: '\n' }, { sayCalls: 'session/prompt' }];

describe('a steering message', () => {
  it('[CHAT-12] is sent into the turn of an agent that supports steering, after its prompt', async () => {
    const { turn, answer } = await steered(takes, { awaitCall: method }, ...sayBoth);
    expect(await answer).toBe(true);
    await turn.done;
    const [calls = [], prompts = []] = turn.output.text
      .split('\n')
      .map((text) => JSON.parse(text) as object[]);
    expect(calls).toMatchObject([
      {
        prompt: [{ type: 'text', text: 'the other way' }],
        // Otherwise the agent would start an invisible turn.
        _meta: { steering: { idleBehavior: 'promptRequired' } },
      },
    ]);
    expect(prompts).toHaveLength(1);
  });

  it('[CHAT-12] includes its attachments, and unreadable ones are reported to the user', async () => {
    const chat = await openChat(scriptedAgent(takes), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(steps({ awaitCall: method }, { sayCalls: method }));
    const attachments: Message['attachments'] = [
      { type: 'simple', label: 's', modelRepresentation: 'a remark' },
      { type: 'resource', label: 'gone', uri: 'file:///w/gone' },
    ];
    expect(await chat.session.steer?.({ ...message('the other way'), attachments })).toBe(true);
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject([
      {
        prompt: [
          { type: 'text', text: 'a remark' },
          { type: 'text', text: '[gone (file:///w/gone) is attached, but the file does not exist]' },
          { type: 'text', text: 'the other way' },
        ],
      },
    ]);
    expect(turn.output.events).toContainEqual({
      kind: 'notify',
      content: 'gone did not reach the agent: the file does not exist.',
    });
  });

  it.each<[string, Offer]>([
    ['does not say so', { ...takes, init: {} }],
    ['has no turn for it', { init: supported, results: { [method]: { outcome: 'promptRequired' } } }],
    ['failed', { init: supported, results: { [method]: { outcome: 'failed' } } }],
  ])('[CHAT-12] is not accepted by an agent that %s', async (_, offer) => {
    const { turn, answer } = await steered(offer);
    expect(await answer).toBe(false);
    await turn.done;
  });

  it('[CHAT-12] is not accepted by an agent that answers with an error', async () => {
    const { turn, answer } = await steered({
      ...takes,
      errors: { [method]: { code: -32600, message: 'no images' } },
    });
    await expect(answer).rejects.toThrow('no images');
    await turn.done;
  });

  it('[CHAT-12] that makes the agent start its own turn is not accepted, and that turn is cancelled', async () => {
    const { turn, answer } = await steered(
      { init: supported, results: { [method]: { outcome: 'startedNewTurn' } } },
      { awaitCall: 'session/cancel' },
    );
    expect(await answer).toBe(false);
    await turn.done;
  });

  it('[CHAT-12] is not accepted between turns, nor by an ended turn', async () => {
    const chat = await openChat(scriptedAgent(takes), { workingDirectory: temporaryFolder() });
    expect(await chat.session.steer?.(message('too early'))).toBe(false);
    await chat.prompt('hello').done;
    expect(await chat.session.steer?.(message('too late'))).toBe(false);
    const turn = chat.prompt(steps({ sayCalls: method }));
    await turn.done;
    expect(turn.output.text).toBe('[]');
  });
});

it.skipIf(!capturesAreThere).each([
  ['codex', true],
  ['claude', false],
  ['gemini', false],
  ['opencode', false],
  ['qwen', false],
])('[CHAT-12] %s accepts messages during a turn, according to its recording: %s', (agent, canSteer) => {
  const lines = readFileSync(join(capturesFolder, `${agent}.ndjson`), 'utf8').split('\n');
  const answer = lines.find((line) => line.startsWith('< ') && line.includes('"agentCapabilities"')) ?? '';
  const { result } = JSON.parse(answer.slice(2)) as { result: unknown };
  expect(readTraits(result).canSteer).toBe(canSteer);
});
