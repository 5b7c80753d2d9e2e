import type { ClientTool, HostTool } from '@agenthost/host/agent';
import type { ToolCallResult } from '@agenthost/protocol';
import { openChat } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { permission, scriptedAgent, steps, temporaryFolder, toolCall } from './acp-chats.ts';
import type { Offer, Step } from './acp-scripted-agent.ts';

const hostTool = (name: string): HostTool => ({
  name,
  definition: {
    name,
    title: 'Resolve a comment',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    annotations: { readOnlyHint: false },
  },
});
const RESOLVE = hostTool('resolve_comment');
const LOOK: ClientTool = { clientId: 'tv', name: 'look', definition: { name: 'look' } };
const RESOLVED: ToolCallResult = {
  success: true,
  pastTenseMessage: 'Resolved',
  content: [{ type: 'text', text: 'it is resolved' }],
};
const canLoad = { agentCapabilities: { loadSession: true } };

const list: Step = { mcp: { method: 'tools/list' } };
const call: Step = {
  mcp: { method: 'tools/call', params: { name: 'resolve_comment', arguments: { id: 'a' } } },
};
const remark = {
  type: 'annotations' as const,
  label: '1 comment',
  resource: 'ahp-session:/1/annotations',
  'x-annotations': [{ id: 'a', resource: 'file:///w/a.ts', text: 'Why?' }],
};

async function opened(tools: readonly HostTool[] = [RESOLVE], offer: Offer = { init: canLoad }) {
  const chat = await openChat(scriptedAgent(offer), { workingDirectory: temporaryFolder() });
  chat.host.ownTools = tools;
  const played = async (...todo: Step[]) => {
    const { output, done } = chat.prompt(steps(...todo));
    output.onHostTool = () => RESOLVED;
    await done;
    return output;
  };
  return { chat, played };
}

describe('tools of the host in an ACP agent', () => {
  it('[ANN-1] are listed beside those of clients, and called during the turn', async () => {
    const { chat, played } = await opened();
    chat.host.offered = [LOOK];
    const output = await played(list, { sayAnswer: true }, { say: '|' }, call, { sayAnswer: true });
    const [listed = '', answered = ''] = output.text.split('|');
    expect(JSON.parse(listed)).toMatchObject({
      tools: [{ name: 'look' }, { name: 'resolve_comment', inputSchema: RESOLVE.definition.inputSchema }],
    });
    expect(output.hostCalls).toEqual([{ name: 'resolve_comment', toolInput: '{"id":"a"}' }]);
    expect(output.clientCalls).toEqual([]);
    expect(JSON.parse(answered)).toEqual({ content: [{ type: 'text', text: 'it is resolved' }] });
  });

  it('[ANN-1] a refusal is an error for the model', async () => {
    const { chat } = await opened();
    const { output, done } = chat.prompt(steps(call, { sayAnswer: true }));
    output.onHostTool = () => ({
      success: false,
      pastTenseMessage: 'Failed',
      error: { message: 'id: there is no comment "a"' },
    });
    await done;
    expect(JSON.parse(output.text)).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'id: there is no comment "a"' }],
    });
  });

  it('[ANN-1] a call shows once, and the permission that the agent asks for needs no person', async () => {
    const { played } = await opened();
    const title = 'mcp__agenthost__resolve_comment';
    const output = await played(
      toolCall('a', { title, kind: 'other', status: 'pending', rawInput: { id: 'a' } }),
      permission('a', ['allow_once:yes', 'reject_once:no'], { title, kind: 'other', rawInput: { id: 'a' } }),
      { sayAnswer: true },
      call,
      toolCall('a', { status: 'completed' }, 'tool_call_update'),
    );
    expect(output.text).toContain('"optionId":"yes"');
    expect(output.calls).toEqual([]);
    expect(output.hostCalls).toHaveLength(1);
  });

  it('[ANN-1] a message with comments has their ids, and says that they can be resolved', async () => {
    const { chat } = await opened();
    const turn = chat.prompt(steps({ sayPrompt: true }), { attachments: [remark] });
    await turn.done;
    expect(JSON.parse(turn.output.text)).toEqual([
      { type: 'text', text: '<annotation id="a" uri="file:///w/a.ts">\nWhy?\n</annotation>' },
      { type: 'text', text: expect.stringContaining('resolve it with the tool resolve_comment') },
    ]);
    const plain = chat.prompt(steps({ sayPrompt: true }));
    await plain.done;
    expect(plain.output.text).not.toContain('resolve_comment');
  });

  it('[ANN-1] without the tools nothing is said of them, and no server is started', async () => {
    const { chat } = await opened([]);
    const turn = chat.prompt(steps({ sayPrompt: true }, { say: '|' }, { sayCalls: 'session/new' }), {
      attachments: [remark],
    });
    await turn.done;
    const [prompt = '', calls = ''] = turn.output.text.split('|');
    expect(JSON.parse(prompt)).toHaveLength(1);
    expect(JSON.parse(calls)).toMatchObject([{ mcpServers: [] }]);
  });
});
