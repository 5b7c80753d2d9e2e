import { createClient } from '@agenthost/client';
import type { Customization, McpServerInfo } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { FakeContext } from '../../../test/fake-context.ts';
import { Screen } from '../../render/screen.ts';
import type { Environment } from '../app/environment.ts';
import { commandOf } from '../keys/bindings.ts';
import { CustomizationsPanel } from './customizations-panel.ts';

const nothing = (): void => undefined;
const done = { outcome: 'ignored' } as const;

const environment = (): Environment => ({
  client: createClient({ clientId: 'c', transport: () => new Promise(nothing) }),
  marks: new Screen(new FakeContext()).marks,
  home: '/home/u',
  folder: undefined,
  agents: () => [],
  now: () => 0,
  later: () => nothing,
  changed: nothing,
  notice: nothing,
  copy: nothing,
  showTerminal: nothing,
});

const kit: Customization = {
  type: 'plugin',
  id: 'kit',
  uri: 'file:///kit',
  name: 'Kit\u001b[31m',
  load: { kind: 'degraded', message: 'rules/bad.mdc:3:1: no' },
  children: [
    { type: 'rule', id: 'style', uri: 'file:///kit/style', name: 'style', enabled: false },
    { type: 'mcpServer', id: 'db', uri: 'file:///kit/.mcp.json', name: 'db', state: { kind: 'stopped' } },
  ],
};
const info: McpServerInfo = {
  id: 'db',
  name: 'db',
  source: 'plugin',
  plugin: 'Kit',
  runs: 'db-server --all',
  state: { kind: 'stopped' },
  tools: [],
  log: [],
};

/** A panel of a session, with all that it asks for. */
function panelOf(customizations: Customization[], servers: McpServerInfo[] = [info]) {
  const asked: unknown[] = [];
  let list = servers;
  const panel = new CustomizationsPanel(
    environment(),
    {
      uri: 'ahp-session:/s',
      mirror: { state: { customizations }, onChange: () => nothing },
      toggleCustomization: async (...given) => {
        asked.push(given);
        return done;
      },
    },
    {
      openServers: async () => ({
        list: async () => list,
        decide: async (_session, { id, runs }, decision) => {
          asked.push([id, runs, decision]);
          list = list.map((each) => ({ ...each, ...(decision === undefined ? {} : { decision }) }));
        },
        start: async (_session, id) => {
          asked.push([id, 'start']);
          return done;
        },
        stop: async () => done,
      }),
      close: () => asked.push('closed'),
    },
  );
  const shown = (): string[] => panel.lines(60).lines.map((spans) => spans.map(({ text }) => text).join(''));
  return { panel, asked, shown };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('[CUST-20] [CUST-21] customizations are listed with state and faults, and decided for the session', async () => {
  const { panel, asked, shown } = panelOf([kit]);
  await settled();
  expect(shown().map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
    expect.stringMatching(/^▸ plugin Kit.* degraded, on$/),
    'rules/bad.mdc:3:1: no',
    'rule style off',
    'MCP server db asks',
  ]);
  expect(shown().join('')).not.toContain('\u001b');
  panel.run('down');
  panel.run('toggle');
  panel.run('up');
  panel.run('toggle');
  panel.run('reset');
  expect(asked).toEqual([
    ['style', [{ kind: 'session', enabled: true }]],
    ['kit', [{ kind: 'session', enabled: false }]],
    ['kit', []],
  ]);
  panel.run('back');
  expect(asked.at(-1)).toBe('closed');
});

test('[MCP-1] an MCP server of a plugin is allowed by a person who sees what it runs', async () => {
  const { panel, asked, shown } = panelOf([kit]);
  await settled();
  panel.run('down');
  panel.run('down');
  panel.run('down');
  expect(shown().at(-1)?.trim()).toBe('db-server --all');
  const holds = () => new Set(panel.conditions());
  expect(commandOf('customizations', 'a', holds())).toBe('allow');
  expect(commandOf('customizations', 's', holds())).toBe('start');
  panel.run('allow');
  await settled();
  expect(asked).toEqual([['db', 'db-server --all', 'allowed']]);
  expect(shown().at(-2)).toMatch(/MCP server db.* stopped$/);
  expect(commandOf('customizations', 'a', holds())).toBeUndefined();
  expect(commandOf('customizations', 'r', holds())).toBe('refuse');
});

test('a session without customizations says so', () => {
  const { panel, shown } = panelOf([]);
  expect(shown()).toEqual(['The session has none.']);
  for (const command of ['up', 'down', 'toggle', 'start']) panel.run(command);
  expect(panel.conditions()).toEqual([]);
});
