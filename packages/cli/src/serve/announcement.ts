import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { CertificateInfo, HostAddress } from '@agenthost/host';
import { announceHost, type HostRecord } from '../host-link/discovery.ts';
import { markStopping, removeStopMark, type StopMark } from '../host-link/stop-mark.ts';
import type { Context } from '../process/context.ts';
import { commandLine, commandPlace } from '../process/own-command.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import type { RunningHost } from './start.ts';

/** Fingerprints of a host's certificate; empty without TLS. */
export type Certified = Partial<Pick<CertificateInfo, 'fingerprint' | 'keyFingerprint'>>;

/** The record of a running host, for other commands of its user. */
export interface WordOfHost {
  /** Of its present certificate. */
  readonly certified: Certified;
  /** Marks this process as stopping until it has ended. Returns the mark of the command that stops it; `undefined` if there is none. */
  markStopping(): StopMark | undefined;
  /** Removes the record. */
  withdraw(): Promise<void>;
}

/** Writes the record of a host to `folder`, and updates it when the certificate changes. `tell` gets a line if the update fails. */
export async function leaveWord(
  folder: string,
  running: Pick<RunningHost, 'address' | 'onCertificate' | 'notices'>,
  known: Pick<HostAddress, 'url' | 'wsUrl'> &
    Pick<
      HostRecord,
      'dataDir' | 'version' | 'args' | 'cwd' | 'tokenFrom' | 'passwordFrom' | 'service' | 'cell'
    >,
  tell: (line: string) => void,
): Promise<WordOfHost> {
  const { token, certificate } = running.address;
  const notices = running.notices.length === 0 ? {} : { notices: running.notices };
  const facts = { ...known, ...notices, token, startedAt: new Date().toISOString() };
  let certified = certifiedBy(certificate);
  // Of an earlier process with this pid.
  removeStopMark(folder, process.pid);
  const withdraw = await announceHost(folder, { ...facts, ...certified });
  let announced: Promise<unknown> = Promise.resolve();
  running.onCertificate((renewed) => {
    certified = certifiedBy(renewed);
    announced = announced
      .then(() => announceHost(folder, { ...facts, ...certified }))
      .catch(() =>
        tell(
          `${folder} cannot be written: clients on this machine need the new certificate in --fingerprint`,
        ),
      );
  });
  return {
    get certified() {
      return certified;
    },
    markStopping: () => {
      // Only now, so that no other command sends a second signal.
      process.once('exit', () => removeStopMark(folder, process.pid));
      return markStopping(folder, process.pid, 'waiting');
    },
    withdraw: () => announced.then(withdraw),
  };
}

const certifiedBy = (certificate: CertificateInfo | undefined): Certified =>
  certificate === undefined
    ? {}
    : { fingerprint: certificate.fingerprint, keyFingerprint: certificate.keyFingerprint };

/** Facts about a started host, for display. */
export interface IntroducedHost {
  readonly url: string;
  /** Address of the page for a browser. On a terminal it has the token and signs the browser in. */
  readonly pageUrl: string;
  /** The address that it was to listen on. */
  readonly host: string;
  readonly dataDir: string;
  /** Its certificate; absent without TLS. */
  readonly certificate: { readonly fingerprint: string; readonly warnings: readonly string[] } | undefined;
  /** Whether the token came from the environment. */
  readonly token: string | undefined;
  /** Absent: the one in the data folder. */
  readonly tokenFile: string | undefined;
  readonly agents: {
    readonly offered: readonly string[];
    readonly installed: readonly string[];
    readonly defaultAgent: string;
  };
}

/** Prints address, page, data folder, token and agents of a host. */
export function introduceHost(context: Context, screen: Screen, host: IntroducedHost): void {
  const { outColors: colors } = screen;
  const { agents, dataDir } = host;
  const path = (text: string): string => oneLine(homely(text, context.home), 1_000);
  const token =
    host.token === undefined ? path(host.tokenFile ?? join(dataDir, 'owner-token')) : 'AGENTHOST_TOKEN';
  screen.line(`agenthost ${context.version} on ${colors.bold(host.url)}`);
  screen.line(`  page    ${oneLine(host.pageUrl, 1_000)}`);
  screen.line(`  data    ${path(dataDir)}`);
  screen.line(`  token   ${token}`);
  if (host.certificate !== undefined) screen.line(`  tls     SHA256 ${host.certificate.fingerprint}`);
  screen.line(`  agents  ${agents.offered.map((id) => agentText(id, agents)).join(', ')}`);
  if (agents.installed.length === 0) {
    screen.line(
      `          no agent but demo was found on PATH; \`${commandLine('agents')}\` shows how to install one`,
    );
  }
  for (const warning of host.certificate?.warnings ?? []) screen.note(screen.colors.yellow(oneLine(warning)));
  if (isOpen(host.host)) {
    const way = host.certificate === undefined ? ', unencrypted' : '';
    const warning = `other machines can reach this host on ${oneLine(host.host)}${way}: everybody with its token can run commands as you`;
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
  if (id !== 'demo' && !installed.includes(id)) notes.push('not installed');
  return notes.length === 0 ? oneLine(id) : `${oneLine(id)} (${notes.join(', ')})`;
}

/** Commands for other machines. */
function waysElsewhere({ host, url, certificate }: IntroducedHost): string[] {
  const addresses = addressesElsewhere(host, url).map((address) => oneLine(address));
  const [first] = addresses;
  if (first === undefined) return [];
  const pin = certificate === undefined ? '' : ` --fingerprint ${certificate.fingerprint}`;
  return [
    ...addresses.map((address) => `  ${address}`),
    `on other machines: AGENTHOST_TOKEN=… agenthost sessions --url ${first}${pin}`,
  ];
}

/** Whether other machines can reach what listens on `host`. */
export const isOpen = (host: string): boolean =>
  host !== 'localhost' && host !== '::1' && !(isIP(host) === 4 && host.startsWith('127.'));

/**
 * The addresses to type on other machines for what listens on `host`, as `https://192.168.1.5:4711`: for a wildcard those of this machine's networks,
 * those of one link aside. `url` is how it is reached here.
 */
export function addressesElsewhere(
  host: string,
  url: string,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string[] {
  if (!isOpen(host)) return [];
  const { protocol, port } = new URL(url);
  const isAll = host === '::';
  const hosts =
    isAll || host === '0.0.0.0'
      ? Object.values(interfaces)
          .flatMap((list) => list ?? [])
          .filter((one) => !one.internal && (one.family === 'IPv4' || (isAll && one.scopeid === 0)))
          .map(({ address }) => address)
      : [host];
  return hosts.map(
    (name) => `${protocol}//${isIP(name) === 6 ? `[${name}]` : name}${port === '' ? '' : `:${port}`}`,
  );
}
