import type { Context } from '../process/context.ts';

/** State of a service. */
export interface ServiceState {
  readonly isInstalled: boolean;
  readonly isRunning: boolean;
  /** The state as the service manager names it. */
  readonly state: string;
  /** Whether the service starts at each boot or login. */
  readonly startsByItself: boolean;
  /** Process id of the host. Absent: no host runs. */
  readonly pid?: number;
  /** The last status text that the host reported. Absent: the service manager keeps none. */
  readonly statusText?: string;
}

/** The command of a service and its settings. */
export interface ServiceFacts {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly drainSeconds: number;
}

/** The service manager of a system: systemd or launchd. */
export interface ServiceManager {
  /** Name of the service, such as `agenthost.service`. */
  readonly service: string;
  /** The content of the main file of a service. Throws a usage error for a text that the file cannot hold. */
  describe(facts: ServiceFacts): string;
  /** Writes the files of the service, and starts it now and at each boot or login. Resolves with messages to the user. */
  install(context: Context, facts: ServiceFacts): Promise<readonly string[]>;
  start(context: Context): Promise<void>;
  /** Stops the service until it is started again, or until the next boot or login. */
  stop(context: Context): Promise<void>;
  restart(context: Context): Promise<void>;
  state(context: Context): Promise<ServiceState>;
  /** The program that shows the output of the service. Rejects if the service is not installed. */
  logCommand(options: { readonly lines: number; readonly follow: boolean }): Promise<readonly string[]>;
  /** Stops the service and removes its files. Data stays. */
  uninstall(context: Context): Promise<void>;
}
