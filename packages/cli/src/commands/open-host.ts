import { setTimeout as wait } from 'node:timers/promises';
import { CannotConnect } from '@agenthost/client';
import { findHost, type HostTarget } from '../host-link/find-host.ts';
import { LoopbackPort } from '../host-link/loopback-port.ts';
import type { SshTarget } from '../host-link/ssh-arguments.ts';
import { forwardPort, type PortForward } from '../host-link/ssh-forward.ts';
import { openSshLink } from '../host-link/ssh-link.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `hosts open` as parsed. */
export interface OpenHostOptions {
  readonly json?: boolean;
}

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/** The address of a host's page, and its token. */
interface PagePlace {
  readonly url: string;
  readonly token: string | undefined;
}

/** `hosts open`: prints the address of a host's page; for a host behind `ssh`, forwards its port until Ctrl-C. */
export async function openHost(
  context: Context,
  screen: Screen,
  name: string,
  { json }: OpenHostOptions,
): Promise<ExitCode> {
  const target = await findHost(context, screen, { host: name });
  const { ssh } = target;
  if (ssh === undefined) {
    tell({ context, screen, name, json }, pageOf(target));
    return EXIT.done;
  }
  const interruption = new Interruption(context);
  let opened: LoopbackPort | undefined;
  try {
    screen.status(`connecting to ${oneLine(name)}`);
    const far = await farHost(ssh, interruption.signal);
    const remote = new URL(far.url);
    const port = Number(remote.port || (remote.protocol === 'https:' ? 443 : 80));
    opened = await LoopbackPort.open(port);
    if (opened === undefined)
      throw new CliError(
        EXIT.error,
        `port ${port} is in use on this machine: restart the host on ${ssh.destination} with another --port`,
      );
    const local = new URL(far.url);
    local.hostname = opened.host;
    const forwarded = { local: opened, remoteHost: remote.hostname, port };
    const place = { url: local.href, token: target.token ?? far.token };
    await keepForwarding(ssh, forwarded, {
      signal: interruption.signal,
      onReady: () => {
        screen.status(undefined);
        tell({ context, screen, name, json }, place);
      },
      onLost: (problem) => screen.note(`agenthost: ${name}: ${oneLine(problem, 500)}; connecting again`),
      onBack: () => screen.note(`connected to ${name} again`),
    });
    return interruption.reason?.exitCode ?? EXIT.done;
  } catch (cause) {
    if (interruption.reason !== undefined) return interruption.reason.exitCode;
    if (!(cause instanceof CannotConnect)) throw cause;
    throw new CliError(EXIT.cannotConnect, cause.message, { cause });
  } finally {
    screen.status(undefined);
    opened?.dispose();
    interruption.dispose();
  }
}

/** Address and token of the host on the other machine. It is started if none runs. */
async function farHost(ssh: SshTarget, signal: AbortSignal): Promise<PagePlace> {
  const { stream, url, token } = await openSshLink(ssh, signal);
  stream.destroy();
  return { url, token };
}

interface Keeper {
  readonly signal: AbortSignal;
  onReady(): void;
  onLost(problem: string): void;
  onBack(): void;
}

/** Forwards the port, and starts `ssh` again when it ends. Rejects if the first attempt fails. */
async function keepForwarding(
  ssh: SshTarget,
  forwarded: PortForward,
  { signal, onReady, onLost, onBack }: Keeper,
): Promise<void> {
  let wasReady = false;
  let pauseMs = MIN_PAUSE_MS;
  while (!signal.aborted) {
    try {
      await forwardPort(ssh, forwarded, {
        signal,
        onReady: () => {
          pauseMs = MIN_PAUSE_MS;
          if (wasReady) onBack();
          else onReady();
          wasReady = true;
        },
      });
    } catch (error) {
      if (!wasReady || !(error instanceof CannotConnect)) throw error;
      if (pauseMs === MIN_PAUSE_MS) onLost(error.message);
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }
}

function pageOf({ url, token }: HostTarget): PagePlace {
  const page = new URL(url);
  page.protocol = page.protocol.replace('ws', 'http');
  page.pathname = page.pathname.replace(/\/ahp$/, '/');
  page.search = '';
  return { url: page.href, token };
}

interface Telling {
  readonly context: Context;
  readonly screen: Screen;
  readonly name: string;
  readonly json: boolean | undefined;
}

/** The link with the token is for the person at a terminal only, as that of `serve`. */
function tell({ context, screen, name, json }: Telling, { url, token }: PagePlace): void {
  if (json === true) return screen.json({ name, url });
  const isShown = context.stdout.isTTY === true && token !== undefined;
  screen.line(isShown ? `${url}?token=${encodeURIComponent(token)}` : url);
  if (!isShown) screen.note('the page asks for a token; a link with it is printed only on a terminal');
}
