import { execFile } from 'node:child_process';
import { errorText } from '@agenthost/protocol/values';

const LIMIT_MS = 5_000;

/** Reports the state of the host to the service manager. */
export interface Notifier {
  /** The name of the service that runs this process. Absent: none. */
  readonly service?: string;
  /** The host serves clients. `status`: a line for people. */
  ready(status: string): Promise<void>;
  /** Shows a line about the host, such as its wait for turns. */
  status(status: string): Promise<void>;
  /** The host begins to stop. */
  stopping(): Promise<void>;
}

/**
 * Removes the variables of the service manager from `env`, so that agents and terminals do not inherit them, and returns the notifier of this process.
 * Under systemd it runs the program `systemd-notify`: Node cannot send datagrams to the socket of NOTIFY_SOCKET. `tell` gets a line when that fails.
 * Without systemd the notifier does nothing.
 */
export function takeNotifier(env: NodeJS.ProcessEnv, tell: (line: string) => void): Notifier {
  const { NOTIFY_SOCKET: socket, AGENTHOST_SERVICE: service } = env;
  for (const name of ['NOTIFY_SOCKET', 'AGENTHOST_SERVICE', 'WATCHDOG_USEC', 'WATCHDOG_PID'])
    delete env[name];
  const send = async (...fields: readonly string[]): Promise<void> => {
    if (socket === undefined || socket === '') return;
    try {
      await systemdNotify(fields, { ...env, NOTIFY_SOCKET: socket });
    } catch (error) {
      tell(`cannot report the state of the host to systemd: ${errorText(error)}`);
    }
  };
  return {
    ...(service === undefined || service === '' ? {} : { service }),
    ready: (status) => send('READY=1', `STATUS=${status}`),
    status: (status) => send(`STATUS=${status}`),
    stopping: () => send('STOPPING=1', 'STATUS=stopping'),
  };
}

function systemdNotify(fields: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('systemd-notify', [...fields], { env, timeout: LIMIT_MS }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}
