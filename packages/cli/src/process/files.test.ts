import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configFolder, dataFolder, fileTrouble, hostsFolder } from './files.ts';

test.each([
  ['linux', {}, '/h/.local/share/agenthost', '/h/.config/agenthost', '/h/.local/state/agenthost/hosts'],
  [
    'linux',
    { XDG_DATA_HOME: '/d', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' },
    '/d/agenthost',
    '/c/agenthost',
    '/s/agenthost/hosts',
  ],
  [
    'linux',
    { XDG_DATA_HOME: 'relative', XDG_CONFIG_HOME: '' },
    '/h/.local/share/agenthost',
    '/h/.config/agenthost',
    '/h/.local/state/agenthost/hosts',
  ],
  [
    'darwin',
    {},
    '/h/Library/Application Support/agenthost',
    '/h/Library/Application Support/agenthost',
    '/h/Library/Application Support/agenthost/hosts',
  ],
] as const)('on %s with %j the folders are where users look for them', (platform, env, ...expected) => {
  const where = { platform, env, home: '/h' };
  expect([dataFolder(where), configFolder(where), hostsFolder(where)]).toEqual(expected);
});

test.each([
  [join(tmpdir(), 'no', 'such', 'file'), 'the file does not exist'],
  [tmpdir(), 'it is a folder'],
])('a message for the error of the file system for %s', async (path, told) => {
  await expect(readFile(path).catch(fileTrouble)).resolves.toBe(told);
});

test('a message for a full disk, and unknown errors unchanged', () => {
  expect(fileTrouble(Object.assign(new Error('ENOSPC: …'), { code: 'ENOSPC' }))).toBe('no space left');
  expect(fileTrouble(new Error('something else'))).toBe('something else');
});
