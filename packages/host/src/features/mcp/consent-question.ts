import { type ConfirmationOption, MCP_CONSENT_TOOL } from '@agenthost/protocol';
import type { TurnOutput } from '../../agents/turn.ts';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import type { NamedServer } from './named-servers.ts';
import { PROJECT_FILE } from './project-file.ts';

const OPTIONS: ConfirmationOption[] = [
  {
    id: 'allow',
    label: 'Allow, and do not ask again while they stay the same',
    kind: 'approve',
    group: 0,
    'x-lasting': true,
  },
  { id: 'skip', label: 'Not in this session', kind: 'deny', group: 1 },
  { id: 'refuse', label: 'Never, while they stay the same', kind: 'deny', group: 1 },
];

/** What a person has answered. `undefined`: the turn has ended first. */
export type ConsentAnswer = 'allow' | 'skip' | 'refuse' | undefined;

/**
 * Asks whether the servers that a project or a plugin names may run, as a tool call of a turn. They come from others: a person is asked, whatever
 * the session's approvals say.
 */
export async function askConsent(
  output: TurnOutput,
  servers: readonly NamedServer[],
): Promise<ConsentAnswer> {
  const of = servers.every(({ source }) => source === 'plugin') ? 'plugins' : 'the project';
  const call = output.toolCall({
    toolName: MCP_CONSENT_TOOL,
    displayName: `MCP servers of ${of}`,
    intention: `${of === 'plugins' ? 'Plugins name' : `${PROJECT_FILE} names`} programs and addresses that give agents tools`,
    kind: 'execute',
  });
  const answer = await call.confirm({
    invocationMessage: `Use ${servers.map(({ entry }) => entry.name).join(', ')}`.slice(0, 500),
    toolInput: servers.map(shownServer).join('\n'),
    confirmationTitle: `Use the MCP servers of ${of === 'plugins' ? 'these plugins' : 'this project'}?`,
    options: OPTIONS,
    isAlwaysAsked: true,
  });
  if (answer.approved) {
    await call.complete({ success: true, pastTenseMessage: `Allowed the MCP servers of ${of}` });
    return 'allow';
  }
  if (answer.reason === 'skipped') return undefined;
  return answer.selectedOption?.id === 'refuse' ? 'refuse' : 'skip';
}

const shownServer = ({ plugin, entry }: NamedServer): string =>
  plugin === undefined
    ? shownEntry(entry)
    : `${shownEntry(entry)} (of the plugin ${inOneLine(plugin).slice(0, 100)})`;

/** A line that shows all that decides what would run. */
export function shownEntry(entry: McpServerEntry): string {
  if (entry.kind !== 'stdio') {
    const { url, headers, oauth } = entry;
    const more = [
      ...Object.entries(headers).map(([name, value]) => `, ${name}: ${value}`),
      ...(oauth === undefined ? [] : [`, oauth.clientId: ${oauth.clientId}`]),
      // A literal secret is of no use to those who decide, but a variable of the host would leave the host.
      ...(oauth?.clientSecret?.includes('${') === true
        ? [`, oauth.clientSecret: ${oauth.clientSecret}`]
        : []),
    ];
    return inOneLine(`${entry.name}: ${url}${more.join('')}`);
  }
  const env = Object.entries(entry.env).map(([name, value]) => `${name}=${quoted(value)} `);
  const words = [entry.command, ...entry.args].map(quoted).join(' ');
  const place = entry.cwd === undefined ? '' : ` (in ${entry.cwd})`;
  return inOneLine(`${entry.name}: ${env.join('')}${words}${place}`);
}

/** A text of others must not look like another line. */
const inOneLine = (line: string): string => line.replace(/[\r\n\u2028\u2029]+/g, ' ');

const quoted = (word: string): string => (/^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word));
