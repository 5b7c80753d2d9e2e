import { describe, expect, it } from 'vitest';
import { agentEnvironment } from '../process/environment.ts';
import { ACP_CATALOGUE, mergeAgentConfigs } from './catalogue.ts';
import { AgentConfigError, readAgentEntries } from './config.ts';

describe('the config file', () => {
  it('contains agents by id', () => {
    const config = {
      other: 'settings are not looked at',
      agents: {
        mine: {
          displayName: 'Mine',
          command: '/opt/mine',
          args: ['--acp'],
          env: { A: '1' },
          envAllow: ['MINE_*'],
        },
        gemini: { enabled: false },
      },
    };
    expect(readAgentEntries(config, 'f')).toEqual([
      {
        id: 'mine',
        displayName: 'Mine',
        command: '/opt/mine',
        args: ['--acp'],
        env: { A: '1' },
        envAllow: ['MINE_*'],
      },
      { id: 'gemini', enabled: false },
    ]);
  });

  it('may contain no agents', () => {
    expect(readAgentEntries({}, 'f')).toEqual([]);
  });

  it.each([
    [[], 'f: the file: expected an object, got []'],
    [{ agents: [] }, 'f: agents: expected an object of agents by id, got []'],
    [{ agents: { 'Not an id': {} } }, 'f: agents.Not an id: expected an id'],
    [{ agents: { mcp: {} } }, 'f: agents.mcp: expected an id'],
    [{ agents: { a: 'x' } }, 'f: agents.a: expected an object, got "x"'],
    [
      { agents: { a: { command: './run' } } },
      'f: agents.a.command: expected a command name to find on PATH, or an absolute path, got "./run"',
    ],
    [{ agents: { a: { args: 'x' } } }, 'f: agents.a.args: expected a list of strings, got "x"'],
    [{ agents: { a: { env: { A: 1 } } } }, 'f: agents.a.env: expected an object of strings, got {"A":1}'],
    [{ agents: { a: { enabled: 'no' } } }, 'f: agents.a.enabled: expected true or false, got "no"'],
    [{ agents: { a: { kind: 'modle' } } }, 'f: agents.a.kind: expected "model", or no kind, got "modle"'],
    [
      { agents: { a: { comand: 'x' } } },
      'f: agents.a.comand: unknown; expected one of displayName, description, command',
    ],
  ])('%j is refused with file, key, and the expected and actual value', (config, message) => {
    expect(() => readAgentEntries(config, 'f')).toThrow(AgentConfigError);
    expect(() => readAgentEntries(config, 'f')).toThrow(message);
  });
});

describe('the catalogue', () => {
  it('is changed by the config file, which changes fields, adds agents and removes agents', () => {
    const merged = mergeAgentConfigs(
      ACP_CATALOGUE,
      [
        { id: 'qwen', args: ['--acp', '--auth-type', 'openai'] },
        { id: 'codex', enabled: false },
        { id: 'mine', command: 'mine' },
      ],
      'f',
    );
    expect(merged.map(({ id }) => id)).toEqual(['claude', 'gemini', 'qwen', 'opencode', 'mine']);
    expect(merged.find(({ id }) => id === 'qwen')).toMatchObject({
      command: 'qwen',
      args: ['--acp', '--auth-type', 'openai'],
      displayName: 'Qwen Code',
    });
    expect(merged.at(-1)).toEqual({ id: 'mine', command: 'mine', displayName: 'mine' });
  });

  it('requires a command for an unknown agent', () => {
    expect(() => mergeAgentConfigs(ACP_CATALOGUE, [{ id: 'mine', args: [] }], 'f')).toThrow(
      'f: agents.mine.command',
    );
  });

  it('does not offer file reads to gemini, which could then not create files', () => {
    expect(ACP_CATALOGUE.find(({ id }) => id === 'gemini')?.offersReadTextFile).toBe(false);
  });
});

describe('the environment of an agent', () => {
  it('contains the common names, the names allowed by name or prefix, and the set variables', () => {
    const host = {
      PATH: '/bin',
      LC_TIME: 'C',
      XDG_CONFIG_HOME: '/x',
      KEY: 'k',
      KEY_2: 'k2',
      OTHER: 'o',
      GONE: undefined,
    };
    expect(agentEnvironment(host, ['KEY'], { OWN: '1', PATH: '/own' })).toEqual({
      PATH: '/own',
      LC_TIME: 'C',
      XDG_CONFIG_HOME: '/x',
      KEY: 'k',
      OWN: '1',
    });
    expect(agentEnvironment(host, ['KEY*'], {})).toMatchObject({ KEY: 'k', KEY_2: 'k2' });
  });

  it("never contains the host's own variables, even when all names are allowed", () => {
    expect(agentEnvironment({ AGENTHOST_TOKEN: 't', A: '1' }, ['*'], { AGENTHOST_TOKEN: 's' })).toEqual({
      A: '1',
    });
  });
});

describe('the known agents', () => {
  it.each(ACP_CATALOGUE.map((agent) => [agent.id, agent] as const))(
    '%s explains its installation, and its login with an installed command',
    (_id, { command, install, loginHint = '' }) => {
      expect(install).toMatch(/^npm install -g [@\w/-]+$/);
      const commands = [...loginHint.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line.split(' ')[0]);
      expect(commands.length).toBeGreaterThan(0);
      for (const each of commands) expect(['npx', command]).toContain(each);
    },
  );

  it('do not explain the installation if the config names another command', () => {
    const [changed] = mergeAgentConfigs(ACP_CATALOGUE, [{ id: 'claude', command: '/opt/claude-acp' }], 'f');
    expect(changed).not.toHaveProperty('install');
    const [own] = mergeAgentConfigs([], [{ id: 'mine', command: 'mine', install: 'make install' }], 'f');
    expect(own).toHaveProperty('install', 'make install');
  });
});
