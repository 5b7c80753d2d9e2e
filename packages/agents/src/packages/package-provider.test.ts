import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentError, type AgentProvider } from '@agenthost/host/agent';
import { openChat } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAgentEntries } from '../acp/config/config.ts';
import { findPackage } from './find-package.ts';
import { readPackageEntries } from './package-entry.ts';
import { createPackageProvider, lookAtPackage } from './package-provider.ts';

let folder: string;
const open: AgentProvider[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-packages-'));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.dispose()));
  rmSync(folder, { recursive: true, force: true });
});

/** A package `name` with this module in `node_modules` of the folder. */
function install(name: string, module: string, manifest: object = {}): string {
  const place = join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  const whole = { name, version: '1.2.3', type: 'module', exports: './index.js', ...manifest };
  writeFileSync(join(place, 'package.json'), JSON.stringify(whole));
  writeFileSync(join(place, 'index.js'), module);
  return place;
}

/** A provider that answers with its settings. Its errors are of a class of its own. */
const ECHO = `
class AgentError extends Error { name = 'AgentError'; errorType = 'echoFailed'; }
export const createProvider = ({ id, settings }) => {
  const info = { provider: id, displayName: 'Echo', description: 'Repeats', models: [] };
  let listener;
  return {
    id,
    describe: () => info,
    onInfoChanged: (given) => { listener = given; return () => { listener = undefined; }; },
    availability: async () => ({ available: true }),
    resolveConfig: async () => ({ schema: { type: 'object', properties: {} }, values: {} }),
    openSession: async () => ({
      runTurn: async (input, output) => {
        if (input.message.text === 'fail') throw new AgentError('no');
        if (input.message.text === 'break') { info.models = 'none'; listener(); }
        if (input.message.text === 'learn') {
          info.models = [{ id: 'm', provider: id, name: 'M' }];
          listener();
        }
        await output.markdown(settings.greeting + ' ' + input.message.text);
      },
      close: async () => {},
      terminate: async () => {},
    }),
    dispose: async () => { throw new Error('never ends'); },
  };
};`;

const lines: string[] = [];
const options = () => ({
  children: { record: async () => undefined, forget: () => undefined },
  log: (_: string, message: string) => void lines.push(message),
  folders: [folder],
  install: 'install it',
});

function provide(name: string, more: object = {}, parts: object = {}): AgentProvider {
  const provider = createPackageProvider({ id: 'mine', package: name, ...more }, { ...options(), ...parts });
  open.push(provider);
  return provider;
}

const failureOf = async (provider: AgentProvider): Promise<string | undefined> =>
  (await provider.availability()).failure;

describe('a provider from a package', () => {
  test('is imported with its settings, and runs turns', async () => {
    install('echo', ECHO);
    const provider = provide('echo', { settings: { greeting: 'Hello' }, displayName: 'My echo' });
    let changes = 0;
    provider.onInfoChanged?.(() => {
      changes += 1;
    });
    expect(provider.describe()).toMatchObject({ provider: 'mine', displayName: 'My echo', models: [] });
    const chat = await openChat(provider, { workingDirectory: folder });
    const turn = chat.prompt('you');
    await turn.done;
    expect(turn.output.text).toBe('Hello you');
    await chat.prompt('learn').done;
    expect(provider.describe().models).toEqual([{ id: 'm', provider: 'mine', name: 'M' }]);
    expect(changes).toBe(2);
    expect(await provider.availability()).toEqual({
      available: true,
      version: '1.2.3',
      source: expect.stringMatching(/echo\/index\.js$/),
      package: 'echo',
    });
    await provider.dispose();
    expect(lines).toContain('agent package could not be ended');
  });

  test('may throw errors of its own copy of the contract', async () => {
    install('echo', ECHO);
    const chat = await openChat(provide('echo'), { workingDirectory: folder });
    const error: unknown = await chat.prompt('fail').done.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(AgentError);
  });

  test('keeps its last description when a new one is unusable, and says so', async () => {
    install('echo', ECHO);
    const provider = provide('echo');
    const chat = await openChat(provider, { workingDirectory: folder });
    await chat.prompt('break').done;
    expect(provider.describe().models).toEqual([]);
    expect(await failureOf(provider)).toMatch('describes itself wrongly: models must be a list');
  });

  test.each([
    ['throws', 'throw new Error("no licence")', 'failed: no licence'],
    ['is not JavaScript', 'export const', 'failed:'],
    ['exports something else', 'export const agent = 1', 'createProvider; it exports agent'],
    ['creates nothing', 'export const createProvider = () => undefined', 'createProvider returned undefined'],
    ['creates half a provider', 'export const createProvider = () => ({ id: "mine" })', 'lacks describe, av'],
    ['cannot create', 'export const createProvider = async () => { throw new Error("no key") }', 'no key'],
    [
      'has another id',
      ECHO.replace('    id,', '    id: "x",'),
      'the id of its entry, mine; this one has "x"',
    ],
    ['describes nothing', ECHO.replace('() => info', '() => null'), 'describe() must return an object'],
  ])('that %s is an agent that failed, and says why', async (_, module, why) => {
    install('broken', module);
    const provider = provide('broken');
    expect(provider.describe()).toMatchObject({ provider: 'mine', displayName: 'mine' });
    expect(await provider.availability()).toMatchObject({ available: true, version: '1.2.3' });
    expect(await failureOf(provider)).toMatch(why);
    await expect(openChat(provider, { workingDirectory: folder })).rejects.toBeInstanceOf(AgentError);
    expect(await provider.resolveConfig?.({ workingDirectory: folder, values: {} })).toBeUndefined();
  });

  test('that is not ready in time has failed, and is ended when it comes', async () => {
    const called = Promise.withResolvers<(provider: unknown) => void>();
    Reflect.set(globalThis, 'onSlowProvider', called.resolve);
    install('slow', 'export const createProvider = () => new Promise((done) => onSlowProvider(done));');
    // The time limit is over once the package has been called.
    const timers = {
      after: (_: number, callback: () => void) => (void called.promise.then(callback), () => undefined),
    };
    const provider = provide('slow', {}, { timers });
    const bring = await called.promise;
    expect(await failureOf(provider)).toMatch('was not ready within 30 s');
    const ended = Promise.withResolvers<void>();
    const nothing = () => undefined;
    bring({
      id: 'mine',
      describe: nothing,
      availability: nothing,
      openSession: nothing,
      dispose: () => ended.resolve(),
    });
    await ended.promise;
  });

  test('that is missing can be installed while the host runs', async () => {
    const provider = provide('echo');
    expect(await provider.availability()).toEqual({
      available: false,
      reason: `the package echo is not in ${folder}/node_modules/echo`,
      install: 'install it',
      package: 'echo',
    });
    await expect(openChat(provider, { workingDirectory: folder })).rejects.toThrow(
      '`install it` installs it',
    );
    install('echo', ECHO);
    expect(await provider.availability()).toMatchObject({ available: true });
  });

  test('is looked at without running it', () => {
    install('trap', 'globalThis.wasRun = true; throw new Error("run")');
    expect(lookAtPackage({ id: 'mine', package: 'trap' }, { folders: [folder] })).toEqual({
      available: true,
      version: '1.2.3',
      source: expect.stringMatching(/trap\/index\.js$/),
    });
    expect(Reflect.get(globalThis, 'wasRun')).toBeUndefined();
  });
});

describe('a package', () => {
  test.each([
    [{ exports: { '.': { types: './x.d.ts', import: './index.js' } } }, 'index.js'],
    [{ exports: { node: { default: './node.js' } } }, 'node.js'],
    [{ exports: undefined, main: 'lib/main.js' }, 'lib/main.js'],
    [{ exports: undefined }, 'index.js'],
  ])('with %j is imported as Node does', (manifest, module) => {
    const place = install('p', '', manifest);
    expect(findPackage('p', [folder])).toMatchObject({ entry: join(place, module) });
    expect(findPackage(place, [])).toMatchObject({ entry: join(place, module) });
  });

  test.each([
    [{ exports: {} }, 'expected exports or main to name a module'],
    [{ exports: '../other.js' }, 'outside of the package'],
  ])('with %j cannot be used', (manifest, reason) => {
    install('p', '', manifest);
    expect(findPackage('p', [folder])).toMatchObject({
      reason: expect.stringContaining(reason),
      isMissing: false,
    });
  });
});

describe('an entry that names a package', () => {
  const file = '/c/agenthost.json';
  const entry = { package: '@me/agent', settings: { a: 1 }, displayName: 'Mine', enabled: true };

  test('is read apart from the others', () => {
    const config = { agents: { mine: entry, qwen: { args: [] } } };
    expect(readPackageEntries(config, file)).toEqual([{ id: 'mine', ...entry }]);
    expect(readAgentEntries(config, file)).toEqual([{ id: 'qwen', args: [] }]);
    expect(readPackageEntries({}, file)).toEqual([]);
  });

  test.each([
    [{ x: { package: './here' } }, 'agents.x.package: expected the name of an npm package'],
    [{ x: { package: '../up' } }, 'agents.x.package: expected the name of an npm package'],
    [{ x: { package: 'p@1.0.0' } }, 'agents.x.package: expected the name of an npm package'],
    [{ x: { package: null } }, 'agents.x.package: expected the name of an npm package'],
    [{ x: { package: 'p', command: 'p' } }, 'agents.x.command: unknown beside package'],
    [{ x: { package: 'p', constructor: 'p' } }, 'agents.x.constructor: unknown beside package'],
    [{ x: { package: 'p', settings: [] } }, 'agents.x.settings: expected an object, got []'],
    [{ X: { package: 'p' } }, 'agents.X: expected an id'],
    [{ demo: { package: 'p' } }, 'agents.demo: demo is the id of the built-in agent'],
  ])('in %j is refused with file, key, expected and actual value', (agents, message) => {
    expect(() => readPackageEntries({ agents }, file)).toThrow(`${file}: ${message}`);
  });
});
