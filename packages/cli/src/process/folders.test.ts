import { expect, test } from 'vitest';
import { configFolder, dataFolder, hostsFolder } from './folders.ts';

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
