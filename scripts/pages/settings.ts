import type { ConfigPropertySchema } from '@agenthost/protocol';
import { hostConfigSchema } from '../../packages/host/src/config/host-config.ts';
import { withHostKeys } from '../../packages/host/src/config/session-keys.ts';

/** `docs/settings.md`: the settings of a host and those that every session has. */
export function settingsPage(): string {
  const host = hostConfigSchema({ agents: ['demo'], defaultAgent: 'demo' }).properties;
  const session = withHostKeys(undefined, {}, { approvals: 'ask' }).schema.properties;
  return [
    '# Settings',
    '',
    '## Settings of the host',
    '',
    '`agenthost config` lists and changes these settings. A change applies to all clients at once and permanently. `agenthost serve --set key=value`',
    'fixes a setting: clients cannot change it then. [Configuration](configuration.md) has examples.',
    '',
    ...table(host),
    '',
    '## Settings of every session',
    '',
    '`agenthost sessions set` lists and changes the settings of a session. The agent of the session can have further settings.',
    '',
    ...table(session),
    '',
  ].join('\n');
}

function table(properties: Readonly<Record<string, ConfigPropertySchema>>): string[] {
  return [
    '| key | type | default | description |',
    '|---|---|---|---|',
    ...Object.entries(properties).map(
      ([key, property]) =>
        `| \`${key}\` | ${typeOf(key, property)} | ${defaultOf(key, property)} | ${property.description ?? property.title} |`,
    ),
  ];
}

/** The agents differ from host to host. */
const isAgent = (key: string): boolean => key === 'defaultAgent';

const typeOf = (key: string, { type, enum: values }: ConfigPropertySchema): string =>
  values === undefined || isAgent(key) ? type : values.map((value) => `\`${String(value)}\``).join(', ');

function defaultOf(key: string, { default: value }: ConfigPropertySchema): string {
  if (isAgent(key)) return 'the only installed agent, else `demo`';
  return value === '' ? 'none' : `\`${JSON.stringify(value)}\``;
}
