import { join } from 'node:path';
import type { Context } from '../process/context.ts';
import { commandLine, commandPlace } from '../process/own-command.ts';
import { homely } from '../render/homely.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { addressesElsewhere, isOpen } from './own-addresses.ts';

/** What is told of a host that has started. */
export interface IntroducedHost {
  readonly url: string;
  /** The address that it was to listen on. */
  readonly host: string;
  readonly dataDir: string;
  /** What it listens with; absent without TLS. */
  readonly certificate: { readonly fingerprint: string; readonly warnings: readonly string[] } | undefined;
  /** Given by the environment. */
  readonly token: string | undefined;
  /** Absent: the one in the data folder. */
  readonly tokenFile: string | undefined;
  readonly agents: {
    readonly offered: readonly string[];
    readonly installed: readonly string[];
    readonly defaultAgent: string;
  };
}

/** Says where a host is, where its data and its token are, and which agents it found. */
export function introduceHost(context: Context, screen: Screen, host: IntroducedHost): void {
  const { outColors: colors } = screen;
  const { agents, dataDir } = host;
  const path = (text: string): string => oneLine(homely(text, context.home), 1_000);
  const token =
    host.token === undefined ? path(host.tokenFile ?? join(dataDir, 'owner-token')) : 'AGENTHOST_TOKEN';
  screen.line(`agenthost ${context.version} on ${colors.bold(host.url)}`);
  screen.line(`  data    ${path(dataDir)}`);
  screen.line(`  token   ${token}`);
  if (host.certificate !== undefined) screen.line(`  tls     SHA256 ${host.certificate.fingerprint}`);
  screen.line(`  agents  ${agents.offered.map((id) => agentText(id, agents)).join(', ')}`);
  if (agents.installed.length === 0) {
    screen.line(
      `          no real agent was found on PATH; \`${commandLine('agents')}\` says how to get one`,
    );
  }
  for (const warning of host.certificate?.warnings ?? []) screen.note(screen.colors.yellow(oneLine(warning)));
  if (isOpen(host.host)) {
    const way = host.certificate === undefined ? ', unencrypted' : '';
    const warning = `other machines can reach this host on ${oneLine(host.host)}${way}: whoever has its token can run commands as you`;
    screen.note(screen.colors.yellow(warning));
    for (const line of waysElsewhere(host)) screen.note(line);
  }
  screen.line(
    `Ask from another terminal${commandPlace()}: ${colors.cyan(commandLine('run "what is in this folder?"'))}`,
  );
  screen.line('Ctrl-C stops it.');
}

function agentText(id: string, { installed, defaultAgent }: IntroducedHost['agents']): string {
  const notes: string[] = [];
  if (id === defaultAgent) notes.push('default');
  if (id !== 'demo' && !installed.includes(id)) notes.push('its command is missing');
  return notes.length === 0 ? oneLine(id) : `${oneLine(id)} (${notes.join(', ')})`;
}

/** What to type on other machines. */
function waysElsewhere({ host, url, certificate }: IntroducedHost): string[] {
  const addresses = addressesElsewhere(host, url).map((address) => oneLine(address));
  const [first] = addresses;
  if (first === undefined) return [];
  const pin = certificate === undefined ? '' : ` --fingerprint ${certificate.fingerprint}`;
  return [
    ...addresses.map((address) => `  ${address}`),
    `there: AGENTHOST_TOKEN=… agenthost sessions --url ${first}${pin}`,
  ];
}
