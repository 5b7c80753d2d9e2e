import type { Context } from '../process/context.ts';

/** State of a service. */
export interface ServiceState {
  readonly isInstalled: boolean;
  readonly isRunning: boolean;
  /** In the words of the service manager. */
  readonly state: string;
  /** Whether it starts with the machine or the login. */
  readonly startsByItself: boolean;
  /** Of the host. Absent: none runs. */
  readonly pid?: number;
  /** What the host says of itself. Absent: the service manager keeps no such text. */
  readonly statusText?: string;
}

/** What a service runs. */
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
  /** The content of the main file of a service. */
  describe(facts: ServiceFacts): string;
  /** Writes the files of the service and starts it, now and with the machine. Resolves with lines for people. */
  install(context: Context, facts: ServiceFacts): Promise<readonly string[]>;
  start(context: Context): Promise<void>;
  /** Stops the service until it is started, or until the machine starts. */
  stop(context: Context): Promise<void>;
  restart(context: Context): Promise<void>;
  state(context: Context): Promise<ServiceState>;
  /** The program that shows the output of the service. Rejects if the service is not installed. */
  logCommand(options: { readonly lines: number; readonly follow: boolean }): Promise<readonly string[]>;
  /** Stops the service and removes its files. Data stays. */
  uninstall(context: Context): Promise<void>;
}
