import { tmpdir } from 'node:os';
import { openChat } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { createDemoProvider } from './provider.ts';

const LOOK = { clientId: 'tv', name: 'look', definition: { name: 'look' } };

const SEARCH = { name: 'docs__search', definition: { name: 'docs__search' } };

async function prompted(text: string) {
  const chat = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
  chat.host.offered = [LOOK, { ...LOOK, clientId: 'phone', name: 'look_1a2b3c' }];
  return chat.prompt(text, { model: 'demo-fast' });
}

test('[CHAT-9] the demo agent runs a client’s tool by name, with JSON, and repeats its answer', async () => {
  const turn = await prompted('tool look_1a2b3c {"far": true; "near": 1}');
  turn.output.onClientTool = ({ clientId }) => ({
    success: true,
    pastTenseMessage: 'Looked',
    content: [{ type: 'text', text: `seen by ${clientId}` }],
  });
  await turn.done;
  expect(turn.output.clientCalls).toEqual([
    { clientId: 'phone', toolName: 'look', toolInput: '{"far": true; "near": 1}' },
  ]);
  expect(turn.output.text).toContain('`look_1a2b3c` answered: seen by phone');
});

test('[CHAT-9] a failed tool does not fail the turn, and the demo agent reports the reason', async () => {
  const turn = await prompted('tool look');
  turn.output.onClientTool = () => ({
    success: false,
    pastTenseMessage: 'Failed',
    error: { message: 'the client has left' },
  });
  await turn.done;
  expect(turn.output.clientCalls).toEqual([{ clientId: 'tv', toolName: 'look', toolInput: '{}' }]);
  expect(turn.output.text).toContain('`look` failed: the client has left');
});

test('for an unknown tool the demo agent lists the offered tools', async () => {
  const turn = await prompted('tool listen');
  await turn.done;
  expect(turn.output.clientCalls).toEqual([]);
  expect(turn.output.text).toContain('There is `look`, `look_1a2b3c`.');
});

test('[MCP-1] the demo agent runs a tool of an MCP server by name', async () => {
  const chat = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
  chat.host.ownTools = [SEARCH];
  const turn = chat.prompt('tool docs__search {"for": "x"}', { model: 'demo-fast' });
  turn.output.onHostTool = () => ({
    success: true,
    pastTenseMessage: 'Searched',
    content: [{ type: 'text', text: 'found' }],
  });
  await turn.done;
  expect(turn.output.hostCalls).toEqual([{ name: 'docs__search', toolInput: '{"for": "x"}' }]);
  expect(turn.output.text).toContain('`docs__search` answered: found');
});
