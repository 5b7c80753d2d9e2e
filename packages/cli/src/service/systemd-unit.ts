import { serviceText } from './service-text.ts';

/** Facts of a systemd unit. */
export interface UnitFacts {
  /** Name of the unit, such as `agenthost.service`. */
  readonly unit: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly environmentFile: string;
  /** Seconds for which a stopping host waits for its turns. */
  readonly drainSeconds: number;
  /** The user of a system unit. Absent: a unit of the user's own service manager. */
  readonly user?: string;
}

/** Time for a host to end its agents and to write its open data, after its turns. */
const STOP_SECONDS = 60;

/**
 * The text of a systemd unit. `KillMode=process`: the host ends its agents itself, and keepers of terminals continue until the next host takes them
 * over. `NotifyAccess=all`, because `systemd-notify` is a process of its own. Exit code 2 is wrong usage, which a restart does not correct. Other failures
 * may end without a change, for example when a disk is mounted later, so the number of starts has no limit. `TimeoutStartSec`: a migration may take long.
 * Throws a usage error for a text that a unit cannot hold.
 */
export function systemdUnit({ unit, command, environmentFile, drainSeconds, user }: UnitFacts): string {
  const isSystem = user !== undefined;
  return `${[
    '[Unit]',
    'Description=agenthost, a host for coding agents',
    ...(isSystem ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=notify',
    'NotifyAccess=all',
    `ExecStart=${command.map(unitWord).join(' ')}`,
    ...(isSystem ? [`User=${user}`, 'StateDirectory=agenthost', 'StateDirectoryMode=0700'] : []),
    'WorkingDirectory=~',
    `Environment=AGENTHOST_SERVICE=${unit}`,
    `EnvironmentFile=-${serviceText(environmentFile).replaceAll('%', '%%')}`,
    'Restart=on-failure',
    'RestartSec=5',
    'RestartPreventExitStatus=2',
    'KillMode=process',
    'TimeoutStartSec=infinity',
    `TimeoutStopSec=${Math.ceil(drainSeconds) + STOP_SECONDS}`,
    '',
    '[Install]',
    `WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}`,
  ].join('\n')}\n`;
}

/** A word of a command line; see systemd.service(5), "Command lines". `%` and `$` would be replaced. */
function unitWord(word: string): string {
  const escaped = serviceText(word).replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w%$@+=:,./-]+$/.test(escaped) ? escaped : `"${escaped.replace(/[\\"]/g, '\\$&')}"`;
}
