import { resolve } from 'node:path';
import type { ServeOptions } from '../serve/options.ts';

/** The options of `serve` for a host in the background. */
export type LaunchOptions = Omit<ServeOptions, 'detach' | 'json'>;

/**
 * Options of `serve` as arguments that mean the same in any folder. They include values that came from environment variables, and never a token:
 * `serve` has no option for one.
 */
export function serveArguments(options: LaunchOptions, cwd: string): string[] {
  const path = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(cwd, file);
  const texts: readonly [string, string | number | undefined][] = [
    ['--port', options.port],
    ['--host', options.host],
    ['--tls-cert', path(options.tlsCert)],
    ['--tls-key', path(options.tlsKey)],
    ['--base-path', options.basePath],
    ['--oidc-issuer', options.oidcIssuer],
    ['--oidc-client-id', options.oidcClientId],
    ['--preview-port', options.previewPort],
    ['--preview-host', options.previewHost],
    ['--data', path(options.data)],
    ['--journal', options.journal],
    ['--announce', options.announce],
    ['--config', path(options.config)],
    ['--token-file', path(options.tokenFile)],
    ['--record', path(options.record)],
    ['--drain', options.drain === 0 ? undefined : options.drain],
  ];
  const flags: readonly [string, boolean | undefined][] = [
    ['--tls', options.tls],
    ['--insecure-listen', options.insecureListen],
    ['--standby', options.standby],
    ['--trust-proxy', options.trustProxy],
    ['--no-keeper', options.keeper === false],
  ];
  return [
    ...texts.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)])),
    ...flags.flatMap(([name, isOn]) => (isOn === true ? [name] : [])),
    ...(options.root ?? []).flatMap((root) => ['--root', resolve(cwd, root)]),
    ...(options.label ?? []).flatMap((text) => ['--label', text]),
    ...(options.set ?? []).flatMap((pair) => ['--set', pair]),
  ];
}

/** Arguments of `serve` with the port that the host has chosen for `--port 0`, so that the next host has the same address. */
export function withPort(args: readonly string[], url: string): string[] {
  const { port, protocol } = new URL(url);
  const shown = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return args.map((arg, index) => (args[index - 1] === '--port' && arg === '0' ? shown : arg));
}

/** Arguments of `serve` without this option and its value. */
export const withoutOption = (args: readonly string[], name: string): string[] =>
  args.filter((arg, index) => arg !== name && args[index - 1] !== name);

/** Seconds for which a stopping host with these arguments waits for its turns. */
export function drainSecondsOf(args: readonly string[] = []): number {
  const at = args.indexOf('--drain');
  return at < 0 ? 0 : Number(args[at + 1] ?? 0);
}
