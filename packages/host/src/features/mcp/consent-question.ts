import { MCP_CONSENT_TOOL } from '@agenthost/protocol';
import type { TurnOutput } from '../../agents/turn.ts';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import { askConsent, type ConsentAnswer } from '../../turns/tools/consent.ts';
import type { NamedServer } from './named-servers.ts';
import { PROJECT_FILE } from './project-file.ts';

/**
 * Asks whether the servers that a project or a plugin names may run. They come from others: a person is asked, whatever the session's approvals say.
 */
export function askAboutServers(output: TurnOutput, servers: readonly NamedServer[]): Promise<ConsentAnswer> {
  const of = servers.every(({ source }) => source === 'plugin') ? 'plugins' : 'the project';
  return askConsent(output, {
    call: {
      toolName: MCP_CONSENT_TOOL,
      displayName: `MCP servers of ${of}`,
      intention: `${of === 'plugins' ? 'Plugins name' : `${PROJECT_FILE} names`} programs and addresses that give agents tools`,
      kind: 'execute',
    },
    invocationMessage: `Use ${servers.map(({ entry }) => entry.name).join(', ')}`,
    toolInput: servers.map(shownServer).join('\n'),
    confirmationTitle: `Use the MCP servers of ${of === 'plugins' ? 'these plugins' : 'this project'}?`,
    refusal: 'Never, while they stay the same',
    allowed: `Allowed the MCP servers of ${of}`,
  });
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
