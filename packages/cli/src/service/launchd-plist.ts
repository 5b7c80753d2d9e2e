import { serviceText } from './service-text.ts';

/** Facts of a launchd job. */
export interface JobFacts {
  readonly label: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** File for the output. */
  readonly logFile: string;
  /** Seconds for which a stopping host waits for its turns. */
  readonly drainSeconds: number;
}

/** Time for a host to end its agents and to write its open data, after its turns. */
const STOP_SECONDS = 60;

/**
 * The property list of a launchd job. `AbandonProcessGroup`: keepers of terminals continue until the next host takes them over. launchd starts
 * the job again after a failure (`SuccessfulExit`), and at each login (`RunAtLoad`). Throws a usage error for a text that a property list cannot hold.
 */
export function launchdPlist(facts: JobFacts): string {
  const { label, command, environment, workingDirectory, logFile, drainSeconds } = facts;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${element({
  Label: label,
  ProgramArguments: command,
  EnvironmentVariables: { ...environment, AGENTHOST_SERVICE: label },
  WorkingDirectory: workingDirectory,
  RunAtLoad: true,
  KeepAlive: { SuccessfulExit: false },
  ThrottleInterval: 10,
  AbandonProcessGroup: true,
  ExitTimeOut: Math.ceil(drainSeconds) + STOP_SECONDS,
  StandardOutPath: logFile,
  StandardErrorPath: logFile,
})}
</plist>
`;
}

type Value = string | number | boolean | readonly string[] | { readonly [key: string]: Value };

function element(value: Value): string {
  if (typeof value === 'string') return `<string>${xml(value)}</string>`;
  if (typeof value === 'number') return `<integer>${value}</integer>`;
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  if (isList(value)) return `<array>${value.map(element).join('')}</array>`;
  const members = Object.entries(value).map(([key, member]) => `<key>${xml(key)}</key>${element(member)}`);
  return `<dict>\n${members.join('\n')}\n</dict>`;
}

const isList = (value: Value): value is readonly string[] => Array.isArray(value);

const xml = (text: string): string =>
  serviceText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
