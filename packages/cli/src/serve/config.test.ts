import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseAgents, reportAgents } from './agents.ts';
import { parseConfig, readConfig } from './config.ts';

const file = '/c/agenthost.json';

describe('the config file', () => {
  test('may contain every key', () => {
    const config = {
      agents: { mine: { command: '/bin/mine', displayName: 'Mine' } },
      defaultAgent: 'mine',
      roots: ['/work'],
      allowedOrigins: ['https://example.org'],
      allowedHosts: ['example.org:443'],
      trustedProxies: ['10.0.0.0/8', '2001:db8::1'],
      push: { contact: 'mailto:me@example.org' },
      mcpServers: { docs: { url: 'https://docs.example.org/mcp' } },
      projectMcpServers: false,
      retention: { turnsPerChat: 100 },
    };
    expect(parseConfig(config, file)).toEqual({
      ...config,
      agents: [{ id: 'mine', command: '/bin/mine', displayName: 'Mine' }],
    });
  });

  test.each([
    [[], 'the file: expected an object'],
    [{ root: [] }, 'root: unknown key; expected one of agents, defaultAgent'],
    [{ toString: 1 }, 'toString: unknown key; expected one of'],
    [{ roots: ['here'] }, 'roots: expected a list of absolute paths, got ["here"]'],
    [{ allowedOrigins: ['example.org'] }, 'allowedOrigins: expected a list of origins'],
    [{ allowedOrigins: ['https://example.org/path'] }, 'allowedOrigins: expected a list of origins'],
    [{ allowedHosts: ['a/b'] }, 'allowedHosts: expected a list of hosts'],
    [{ allowedHosts: ['*.example.org'] }, 'allowedHosts: expected a list of hosts'],
    [{ trustedProxies: ['10.0.0.0/33'] }, 'trustedProxies: expected a list of IP addresses and subnets'],
    [{ trustedProxies: ['proxy'] }, 'trustedProxies: expected a list of IP addresses and subnets'],
    [{ push: { contact: 'me@example.org' } }, 'push: expected an object with contact, a URL'],
    [{ push: { contact: 'mailto:' } }, 'push: expected an object with contact, a URL'],
    [{ push: { mail: 'mailto:me@example.org' } }, 'push: expected an object with contact, a URL'],
    [{ push: 'mailto:me@example.org' }, 'push: expected an object with contact, a URL'],
    [{ mcpServers: [] }, 'mcpServers: expected an object of MCP servers by name, got []'],
    [{ mcpServers: { docs: { url: 'ftp:' } } }, 'mcpServers.docs.url: expected an http or https URL'],
    [{ mcpServers: { docs: { command: './x' } } }, 'mcpServers.docs.command: expected a command name'],
    [{ projectMcpServers: 'no' }, 'projectMcpServers: expected true or false, got "no"'],
    [{ retention: { turnsPerChat: 0 } }, 'retention: expected an object with turnsPerChat'],
    [{ retention: { days: 3 } }, 'retention: expected an object with turnsPerChat'],
    [{ defaultAgent: '' }, 'defaultAgent: expected the id of an agent, got ""'],
    [{ agents: { x: { command: './x' } } }, 'agents.x.command: expected a command name'],
  ])('with %j in it is refused with file, key, expected and actual value', (value, message) => {
    expect(() => parseConfig(value, file)).toThrow(`${file}: ${message}`);
  });

  test('may be missing, unless an option names it', async () => {
    expect(await readConfig('/does/not/exist.json', false)).toEqual({ agents: [] });
    await expect(readConfig('/does/not/exist.json', true)).rejects.toThrow('exist.json: does not exist');
    await expect(readConfig('/', true)).rejects.toThrow(/^\/: cannot be read: it is a folder$/);
  });
});

describe('the agents on offer', () => {
  const places = { environment: { PATH: '/does/not/exist' }, file, dataDir: '/does/not/exist' };

  test('are only demo if nothing is installed', () => {
    const { offered, installed, defaultAgent } = chooseAgents({ agents: [] }, places);
    expect({ offered, installed, defaultAgent }).toEqual({
      offered: ['demo'],
      installed: [],
      defaultAgent: 'demo',
    });
  });

  test('have one installed real agent as the default, but not one of two', () => {
    const node = { command: process.execPath };
    const one = chooseAgents(parseConfig({ agents: { one: node } }, file), places);
    expect(one).toMatchObject({ offered: ['one', 'demo'], defaultAgent: 'one' });
    const two = chooseAgents(parseConfig({ agents: { one: node, two: node } }, file), places);
    expect(two).toMatchObject({ offered: ['one', 'two', 'demo'], defaultAgent: 'demo' });
  });

  test('include one of the config even if its command is missing, but not as the default', () => {
    const config = parseConfig({ agents: { gone: { command: '/does/not/exist' } } }, file);
    expect(chooseAgents(config, places)).toMatchObject({
      offered: ['gone', 'demo'],
      installed: [],
      defaultAgent: 'demo',
    });
  });

  test('include a package, which is the default if it is the only one, and replaces a known agent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthost-package-'));
    writeFileSync(join(folder, 'package.json'), '{"name":"qwen-provider","version":"1.0.0"}');
    const config = parseConfig(
      { agents: { qwen: { package: folder }, off: { package: 'x', enabled: false } } },
      file,
    );
    expect(chooseAgents(config, places)).toMatchObject({ offered: ['qwen', 'demo'], defaultAgent: 'qwen' });
    const reports = await reportAgents(config, places);
    expect(reports.filter(({ id }) => id === 'qwen' || id === 'off')).toEqual([
      {
        id: 'qwen',
        displayName: 'qwen',
        description: '',
        isDefault: true,
        available: true,
        version: '1.0.0',
        source: join(folder, 'index.js'),
        package: folder,
      },
    ]);
    rmSync(folder, { recursive: true });
  });

  test('include a package that is missing, with the command that installs it', async () => {
    const config = parseConfig({ agents: { mine: { package: 'my-agent' } } }, file);
    expect(chooseAgents(config, places)).toMatchObject({ offered: ['mine', 'demo'], defaultAgent: 'demo' });
    expect((await reportAgents(config, places)).find(({ id }) => id === 'mine')).toMatchObject({
      available: false,
      reason: expect.stringContaining('/c/node_modules/my-agent'),
      install: 'agenthost agents install mine',
    });
  });

  test('have the default of the config', () => {
    expect(() => chooseAgents({ agents: [], defaultAgent: 'nope' }, places)).toThrow(
      `${file}: defaultAgent: expected one of demo, got "nope"`,
    );
  });
});
