// The files of the container image, as far as they can be checked without a builder: what they run is run here.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Machine } from '../packages/cli/test/cli-process.ts';
import { root } from './source-graph.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Instructions of the Dockerfile by name, in order. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line): [string, string] => [/^[A-Z]+/.exec(line)?.[0] ?? '', line.replace(/^[A-Z]+\s+/, '')]);

/** The value of an instruction of the last stage that it has once. */
function final(name: string): string {
  const stage = instructions.slice(instructions.findLastIndex(([each]) => each === 'FROM'));
  const [value, ...more] = stage.filter(([each]) => each === name).map(([, text]) => text);
  expect([typeof value, more], name).toEqual(['string', []]);
  return value ?? '';
}

const machine = new Machine();
afterAll(() => machine.dispose());

/** Arguments of `serve` in the image, on this machine. */
const onMachine = (args: readonly string[]): string[] =>
  args.map((arg) => {
    const here: Record<string, string> = {
      '0.0.0.0': '127.0.0.1',
      '/work': machine.home,
      '/etc/agenthost.json': join(root, 'container/agenthost.json'),
    };
    return here[arg] ?? arg;
  });

test('the image runs as a user without privileges, with a volume, on a Node that the program supports', () => {
  const known = [
    'ARG',
    'FROM',
    'WORKDIR',
    'COPY',
    'RUN',
    'ENV',
    'USER',
    'VOLUME',
    'EXPOSE',
    'HEALTHCHECK',
    'ENTRYPOINT',
    'CMD',
  ];
  expect(instructions.filter(([name]) => !known.includes(name))).toEqual([]);
  expect(final('USER')).toBe('agenthost');
  expect(final('VOLUME')).toBe('/data');
  expect(final('ENV')).toContain('HOME=/data');
  const { engines } = JSON.parse(read('packages/cli/package.json'));
  const [, node = ''] = /node:(\d+)/.exec(instructions[0]?.[1] ?? '') ?? [];
  expect(engines.node).toBe(`>=${node}`);
  // Each file that a step of the build starts.
  const scripts = [...read('Dockerfile').matchAll(/node (scripts\/\S+\.ts)/g)].map(([, path = '']) => path);
  expect(scripts.map((path) => [path, existsSync(join(root, path))])).toEqual(
    scripts.map((path) => [path, true]),
  );
  expect(scripts.length).toBeGreaterThan(1);
});

test('the health check passes on a host that the image starts, and fails without one', async () => {
  const args: string[] = JSON.parse(final('CMD'));
  const { host, line } = await machine.serve(...onMachine(args.slice(1)), '--no-keeper');
  const [, command = ''] = / CMD (\[.*\])$/.exec(final('HEALTHCHECK')) ?? [];
  const [, ...check]: string[] = JSON.parse(command);
  const { port } = new URL(line.url);
  const checked = () =>
    spawnSync(
      process.execPath,
      check.map((word) => word.replace('127.0.0.1:4711', `127.0.0.1:${port}`)),
    ).status;
  expect(checked()).toBe(0);
  host.kill('SIGTERM');
  expect((await host.ended).code).toBe(0);
  expect(checked()).toBe(1);
});

test('the services of the compose file fit each other, and their host is found below its base path', async () => {
  const { services, networks, volumes } = parse(read('container/compose.yaml'));
  const { agenthost, proxy } = services;
  expect(agenthost.cap_drop).toEqual(['ALL']);
  expect(agenthost.ports).toBeUndefined();
  for (const { volumes: used } of [agenthost, proxy])
    for (const entry of used) {
      const [from = ''] = String(entry).split(':');
      if (from.startsWith('.')) expect(existsSync(join(root, 'container', from)), from).toBe(true);
      else expect(Object.keys(volumes)).toContain(from);
    }
  const config = JSON.parse(read('container/agenthost.json'));
  expect(config.trustedProxies).toEqual([networks.inside.ipam.config[0].subnet]);
  expect(read('container/Caddyfile')).toMatch(
    new RegExp(`^${config.allowedHosts[0]} \\{[^]*/agents/\\*[^]*agenthost:4711`),
  );

  // This machine stands for the proxy.
  const { line } = await machine.serve(
    ...onMachine(agenthost.command.slice(1)),
    '--no-keeper',
    '--trust-proxy',
  );
  const headers = {
    authorization: `Bearer ${line.token}`,
    'x-forwarded-proto': 'https',
    'x-forwarded-host': config.allowedHosts[0],
    'x-forwarded-prefix': '/agents',
  };
  const page = await fetch(new URL('/agents/', line.url), { headers });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<base href="/agents/"')]);
  const foreign = await fetch(new URL('/agents/', line.url), {
    headers: { ...headers, 'x-forwarded-host': 'other.example.org' },
  });
  expect(foreign.status).toBe(403);
});
