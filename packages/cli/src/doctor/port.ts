import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { errorCode } from '@agenthost/protocol/values';
import type { HostRecord } from '../host-link/discovery.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Checks that the port of `agenthost serve` is free, or used by a host of this user. */
export async function checkPort(host: string, port: number, hosts: readonly HostRecord[]): Promise<Finding> {
  const holder = hosts.find(({ url }) => new URL(url).port === String(port));
  if (holder !== undefined) return ok('port', `${port} is used by the host with pid ${holder.pid}`);
  const code = await tryPort(host, port);
  if (code === undefined) return ok('port', `${port} on ${host} is free`);
  if (code !== 'EADDRINUSE')
    return fault(
      'port',
      `${port} on ${host} cannot be opened (${code})`,
      'choose another port or address, with --port or --host of the command that starts the host',
    );
  const by = holderOf(port);
  return fault(
    'port',
    `${port} on ${host} is in use by ${by ?? 'another program'}`,
    'stop that program, or choose another port with --port or AGENTHOST_PORT',
  );
}

/** The code of the error with which the port cannot be opened; `undefined` when it can. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errorCode(error) ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** The process that listens on a TCP port, if Linux shows it to this user. */
function holderOf(port: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeners(table, port)));
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      if (socketsOf(pid).some((inode) => inodes.has(inode)))
        return `the program ${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (pid ${pid})`;
  } catch (error) {
    // The process ended meanwhile, or /proc is not there.
    if (errorCode(error) === undefined) throw error;
  }
  return undefined;
}

/** Inodes of the sockets that listen on a port, from a table such as `/proc/net/tcp`. */
function listeners(table: string, port: number): string[] {
  const LISTEN = '0A';
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[3] === LISTEN && cells[1]?.endsWith(`:${wanted}`) === true)
    .flatMap((cells) => cells[9] ?? []);
}

/** Inodes of the sockets of a process; none if it belongs to another user. */
function socketsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap(
      (name) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [],
    );
  } catch (error) {
    if (errorCode(error) !== undefined) return [];
    throw error;
  }
}
