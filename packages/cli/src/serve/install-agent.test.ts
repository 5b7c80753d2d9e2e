import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { processStartTime } from '@agenthost/host/agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseAgents, reportAgents } from './agents.ts';
import { type InstallPlan, installAgent, planInstall } from './install-agent.ts';
import { ownFolder } from './own-agents.ts';

const file = '/c/agenthost.json';
const qwen: InstallPlan = {
  id: 'qwen',
  packageName: '@qwen-code/qwen-code',
  version: '1.0.0',
  command: 'qwen',
};

let root: string;
let env: Record<string, string>;
let told: string[];
const dataDir = () => join(root, 'data');
const folder = () => ownFolder(dataDir(), 'qwen');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agenthost-install-'));
  told = [];
  mkdirSync(join(root, 'bin'));
  env = {
    PATH: `${join(root, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
    AGENTHOST_TOKEN: 'secret',
  };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A stand-in for npm: a program that is called in the folder to install into. */
function npm(body: string): void {
  const path = join(root, 'bin', 'npm');
  writeFileSync(
    path,
    `#!${process.execPath}
const { mkdirSync, writeFileSync, symlinkSync } = require('node:fs');
const [name, version] = process.argv.at(-1).split(/(?<=.)@/);
const put = () => {
  mkdirSync('node_modules/.bin', { recursive: true });
  mkdirSync('node_modules/' + name, { recursive: true });
  writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ name, version, bin: 'cli' }));
  writeFileSync('node_modules/' + name + '/cli', '#!/bin/sh', { mode: 0o755 });
  symlinkSync('../' + name + '/cli', 'node_modules/.bin/qwen');
};
${body}
`,
  );
  chmodSync(path, 0o755);
}

const install = (plan: InstallPlan = qwen) =>
  installAgent(plan, {
    context: { env, stderr: new PassThrough() },
    dataDir: dataDir(),
    tell: (line) => told.push(line),
  });

const versions = () => readdirSync(folder()).filter((name) => name.startsWith('version-'));

describe('an agent that agenthost installs', () => {
  test('is put into its own folder, and preferred by the host', async () => {
    npm('if (process.env.AGENTHOST_TOKEN) process.exit(9); put();');
    const path = join(folder(), 'current/node_modules/.bin/qwen');
    expect(await install()).toEqual({ ...qwen, path, isUnchanged: false });
    writeFileSync(join(root, 'bin', 'qwen'), '#!/bin/sh', { mode: 0o755 });
    const places = { environment: env, file, dataDir: dataDir() };
    const report = (await reportAgents({ agents: [] }, places)).find(({ id }) => id === 'qwen');
    expect(report).toMatchObject({
      available: true,
      version: '1.0.0',
      source: `${path} --acp`,
      signIn: path,
    });
    expect(chooseAgents({ agents: [] }, places).offered).toContain('qwen');
    // A command in the config file wins.
    const other = { agents: [{ id: 'qwen', command: process.execPath }] };
    expect((await reportAgents(other, places)).find(({ id }) => id === 'qwen')?.source).toMatch(
      process.execPath,
    );
  });

  test('is updated to another version, and the one before is kept for running processes', async () => {
    npm('put();');
    await install();
    expect(await install()).toMatchObject({ isUnchanged: true });
    for (const version of ['1.1.0', '1.2.0'])
      expect(await install({ ...qwen, version })).toMatchObject({ version });
    expect(versions()).toHaveLength(2);
    expect(readdirSync(folder()).toSorted()).toEqual(['current', ...versions()].toSorted());
  });

  test('stays as it was when npm fails', async () => {
    npm('put();');
    await install();
    npm('console.error("npm error code E404\\nnpm error 404 Not Found"); process.exit(1);');
    await expect(install({ ...qwen, version: '9.9.9' })).rejects.toThrow(
      '@qwen-code/qwen-code@9.9.9 could not be installed: 404 Not Found',
    );
    expect(versions()).toHaveLength(1);
    expect(await install()).toMatchObject({ isUnchanged: true });
  });

  test('is refused if the package lacks its command', async () => {
    npm('mkdirSync("node_modules");');
    await expect(install()).rejects.toThrow('was installed, but lacks the command qwen');
    expect(versions()).toEqual([]);
  });

  test('needs npm', async () => {
    env['PATH'] = join(root, 'bin');
    await expect(install()).rejects.toThrow('no command npm on the PATH');
  });

  test('is installed by one process at a time', async () => {
    npm('put();');
    mkdirSync(folder(), { recursive: true });
    const lock = join(folder(), 'lock');
    writeFileSync(lock, `${process.ppid} ${await processStartTime(process.ppid)}\n`);
    await expect(install()).rejects.toThrow(`qwen is being installed by the process ${process.ppid}`);
    writeFileSync(lock, '4194303 never\n');
    // What a killed installation leaves behind.
    mkdirSync(join(folder(), 'version-half'));
    expect(await install()).toMatchObject({ isUnchanged: false });
    expect(told[0]).toBe('an installation by the process 4194303 did not finish; its lock was removed');
    expect(existsSync(lock)).toBe(false);
    expect(existsSync(join(folder(), 'version-half'))).toBe(false);
  });

  test('may be a package of the config file', async () => {
    npm('put(); writeFileSync("node_modules/" + name + "/index.js", "");');
    const plan: InstallPlan = { id: 'mine', packageName: 'my-agent', version: '2.0.0' };
    const path = join(ownFolder(dataDir(), 'mine'), 'current/node_modules/my-agent/index.js');
    expect(await install(plan)).toEqual({ ...plan, path, isUnchanged: false });
    const packages = [{ id: 'mine', package: 'my-agent' }];
    const reports = await reportAgents(
      { agents: [], packages },
      { environment: env, file, dataDir: dataDir() },
    );
    expect(reports.find(({ id }) => id === 'mine')).toMatchObject({ available: true, version: '2.0.0' });
  });
});

describe('what is installed', () => {
  const packages = [
    { id: 'mine', package: '@me/agent' },
    { id: 'local', package: '/opt/agent' },
  ];
  const plan = (wanted: string) => planInstall(wanted, { agents: [], packages });

  test('has an exact version for known agents', () => {
    const { version } = JSON.parse(JSON.stringify(plan('qwen')));
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(plan('qwen@latest')).toEqual({ ...qwen, version: 'latest' });
    expect(plan('mine')).toEqual({ id: 'mine', packageName: '@me/agent', version: 'latest' });
  });

  test.each([
    ['local', 'local is the folder /opt/agent: it needs no installation'],
    ['qwen@', 'expected a version after the @'],
    ['other', 'other cannot be installed; expected one of claude, codex, gemini, qwen, opencode, mine'],
  ])('cannot be %s', (wanted, message) => {
    expect(() => plan(wanted)).toThrow(message);
  });
});

test('the tested versions are those of the tests with real agents', async () => {
  const { KNOWN_PACKAGES } = await import('@agenthost/agents');
  const tested = readFileSync(join(import.meta.dirname, '../../../../test/agents/agent-packages.ts'), 'utf8');
  for (const { name, version } of Object.values(KNOWN_PACKAGES)) {
    expect(tested).toContain(`packageName: '${name}'`);
    expect(tested).toContain(`version: '${version}'`);
  }
});
