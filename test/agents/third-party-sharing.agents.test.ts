import { fileURLToPath } from 'node:url';
import type { OfferedTool } from '@agenthost/client';
import { errorOf, type ToolCallState } from '@agenthost/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installAgents } from '../../scripts/install-agents.ts';
import { agentAbilities } from './agent-abilities.ts';
import { agentPackages } from './agent-packages.ts';
import { callsOf, present, textOf, until } from './chat-reading.ts';
import { Stage } from './stage.ts';
import {
  afterTool,
  askPrompt,
  clientToolPrompt,
  greeting,
  plantPrompt,
  recallPrompt,
  remembered,
  slowPrompt,
  toldAgain,
} from './stand-in-model.ts';

const installed = await installAgents(agentPackages);
const TURN_TIMEOUT_MS = 180_000;
const MCP_PROGRAM = fileURLToPath(new URL('../../packages/host/test/mcp-program.ts', import.meta.url));

/** Qwen Code finds tools of servers by a search tool. */
const isSearch = ({ invocationMessage }: ToolCallState): boolean =>
  JSON.stringify(invocationMessage ?? '').includes('ToolSearch');

const isAsked = ({ status }: ToolCallState): boolean => status === 'pending-confirmation';

describe.each(installed.filter(({ command }) => command !== undefined))('$agent.id', (installation) => {
  const stage = new Stage(installation, 'sharing', {
    mcpServers: { test: { command: process.execPath, args: [MCP_PROGRAM] } },
  });
  const { clientTools } = agentAbilities[installation.agent.id];

  beforeAll(() => stage.open(), TURN_TIMEOUT_MS);
  afterAll(() => stage.close(), TURN_TIMEOUT_MS);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await stage.evidence());
  });

  /** Runs a turn, and approves what is asked. Returns the ids of those calls. */
  async function approvedTurn(text: string) {
    const prompt = stage.driver.prompt(text);
    const asked = new Set<string>();
    const stop = stage.driver.chat.mirror.onChange(({ activeTurn }) => {
      for (const { toolCallId } of callsOf(activeTurn).filter(isAsked)) {
        if (!asked.has(toolCallId)) void stage.driver.approve(toolCallId);
        asked.add(toolCallId);
      }
    });
    const turn = await prompt.result;
    stop();
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    return { turn, asked };
  }

  /** Offers a tool, lets the model call it, and checks that it ran once and shows as a single call of a client. */
  async function expectClientTool(name: string): Promise<void> {
    const inputs: unknown[] = [];
    const tool: OfferedTool = {
      name,
      description: 'Looks out of the window of whoever runs it',
      inputSchema: { type: 'object', properties: { far: { type: 'boolean' } } },
      run: (input) => {
        inputs.push(input);
        return `a ship, seen by ${name}`;
      },
    };
    await stage.watcher.offerTools([tool]);
    const { turn, asked } = await approvedTurn(clientToolPrompt(name, { far: true }));
    expect(textOf(turn)).toContain(`${afterTool} It said: `);
    expect(textOf(turn)).toContain(`a ship, seen by ${name}`);
    expect(inputs).toEqual([{ far: true }]);
    const own = callsOf(turn).filter(({ contributor }) => contributor?.kind === 'client');
    const others = callsOf(turn).filter((call) => !own.includes(call) && !isSearch(call));
    expect(own).toMatchObject([{ status: 'completed', success: true, toolName: name }]);
    const isAskedApart = clientTools === 'are asked about first, in a call of its own';
    expect(others.map(({ status }) => status)).toEqual(isAskedApart ? ['completed'] : []);
    const questioned = isAskedApart ? others : clientTools === 'run at once' ? [] : own;
    expect([...asked]).toEqual(questioned.map(({ toolCallId }) => toolCallId));
  }

  it(`[CHAT-9] runs a tool that a client offers during a chat: such tools ${clientTools}`, {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const turn = await stage.driver.prompt(plantPrompt('heron')).result;
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    await expectClientTool('lookout');
  });

  it('[SESS-8] runs a tool that is offered later, and remembers the conversation', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    await expectClientTool('spyglass');
    const asked = await stage.driver.prompt(recallPrompt).result;
    expect(textOf(asked)).toContain('KEEPWORD-heron');
  });

  it('[MCP-1] runs a tool of an MCP server of the session, which shows as a call of the server', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const { turn } = await approvedTurn(clientToolPrompt('test__echo', { word: 'pear' }));
    expect(textOf(turn)).toContain(`${afterTool} It said: `);
    expect(textOf(turn)).toMatch(/echo \{.{0,2}"word.{0,2}":.{0,2}"pear/);
    const own = callsOf(turn).filter(({ contributor }) => contributor?.kind === 'mcp');
    expect(own).toMatchObject([
      {
        status: 'completed',
        success: true,
        toolName: 'test__echo',
        contributor: { kind: 'mcp', customizationId: 'mcp-host-test' },
      },
    ]);
  });

  it('[CHAT-1] answers in a second chat of the session while the first chat waits', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const slow = stage.driver.prompt(slowPrompt);
    const hasBegun = until(stage.watcher, (chat) => /word\d/.test(textOf(chat.activeTurn)));
    const second = await stage.driver.createChat();
    await hasBegun;
    const answer = await second.prompt(plantPrompt('egret')).result;
    expect(answer.state, errorOf(answer)?.message).toBe('complete');
    expect(textOf(answer)).toContain(greeting);
    expect(stage.driver.chat.mirror.confirmed.activeTurn?.id).toBe(slow.turnId);
    await slow.cancel();
    expect((await slow.result).state).toBe('cancelled');
    const recalled = await second.prompt(recallPrompt).result;
    expect(textOf(recalled)).toContain(`${remembered}: KEEPWORD-egret.`);
    second.dispose();
  });

  // Only claude has shown a way to ask people through its host.
  it.for(installation.agent.id === 'claude' ? ['a form'] : [])(
    '[CHAT-13] asks people by %s, and receives their choice',
    {
      timeout: TURN_TIMEOUT_MS,
    },
    async () => {
      const prompt = stage.driver.prompt(askPrompt);
      const isAsking = (): boolean => stage.watcher.inputRequests().length > 0;
      await expect.poll(isAsking, { timeout: TURN_TIMEOUT_MS }).toBe(true);
      const handle = present(stage.watcher.inputRequests()[0]);
      const question = present(handle.request?.questions?.[0]);
      const option =
        'options' in question ? question.options.find(({ label }) => label.startsWith('Right')) : undefined;
      await handle.accept({ [question.id]: present(option).id });
      const turn = await prompt.result;
      expect(turn.state, errorOf(turn)?.message).toBe('complete');
      expect(textOf(turn)).toMatch(/It said: .*Right/s);
    },
  );

  it('[SESS-12] continues in a fork of the session from a record, and both stay separate', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const { turns } = stage.driver.chat.mirror.confirmed;
    const fork = await stage.driver.fork(present(turns[0]).id);
    const recalled = await fork.prompt(recallPrompt).result;
    expect(recalled.state, errorOf(recalled)?.message).toBe('complete');
    expect(textOf(recalled)).toContain(`${toldAgain}: KEEPWORD-heron.`);
    const planted = await fork.prompt(plantPrompt('swan')).result;
    expect(planted.state, errorOf(planted)?.message).toBe('complete');
    expect(textOf(await fork.prompt(recallPrompt).result)).toContain('KEEPWORD-swan');
    expect(textOf(await stage.driver.prompt(recallPrompt).result)).not.toContain('KEEPWORD-swan');
    expect(fork.chat.mirror.confirmed.turns.length).toBe(4);
    fork.dispose();
  });
});
