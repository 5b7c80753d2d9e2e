import { spawn } from 'node:child_process';
import type { AhpClient } from '@agenthost/client';
import { type BeginSignInResult, type FinishSignInResult, ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { LoopbackRedirect } from '../host-link/loopback-redirect.ts';
import { storeSignIn } from '../host-link/stored-sign-ins.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `login` with the URL of a resource, as parsed. */
export interface LoginResourceOptions extends HostOptions {
  /** Shows a code to enter on another device, instead of waiting for a browser on this machine. */
  readonly device?: boolean;
  readonly clientId?: string;
  /** Scopes, separated by spaces. */
  readonly scope?: string;
  /** Prints the address of the sign-in page, and opens no browser. */
  readonly print?: boolean;
}

/**
 * `login <resource>`: signs in to a resource that an agent, an MCP server or a tool call needs a token for [AUTH-2]. The host gets the token from the
 * authorization server. This machine keeps a copy, which later commands pass to the same host until the token expires.
 */
export async function loginResource(
  context: Context,
  screen: Screen,
  resource: string,
  options: LoginResourceOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client, target }) => {
    const { clientId, scope } = options;
    const scopes = scope?.split(/[\s,]+/).filter((each) => each !== '');
    const wanted = { channel: ROOT_URI, resource, ...defined({ clientId, scopes }) } as const;
    const token =
      options.device === true
        ? await byCode(screen, client, await client.request('x-beginSignIn', wanted))
        : await byBrowser(context, screen, client, {
            wanted,
            isShownOnly: options.print === true,
          });
    await storeSignIn(context, target, token);
    screen.line(`signed in to ${oneLine(resource, 500)}`);
    return EXIT.done;
  });
}

async function byCode(
  screen: Screen,
  client: AhpClient,
  { id, url, userCode = '' }: BeginSignInResult,
): Promise<FinishSignInResult> {
  screen.note(`open ${oneLine(url, 2_000)} and enter the code ${oneLine(userCode)}`);
  screen.status('waiting for the sign-in');
  try {
    return await client.request('x-finishSignIn', { channel: ROOT_URI, id });
  } finally {
    screen.status(undefined);
  }
}

async function byBrowser(
  context: Context,
  screen: Screen,
  client: AhpClient,
  {
    wanted,
    isShownOnly,
  }: {
    readonly wanted: { readonly channel: typeof ROOT_URI; readonly resource: string };
    readonly isShownOnly: boolean;
  },
): Promise<FinishSignInResult> {
  const redirect = await LoopbackRedirect.open();
  try {
    const begun = await client.request('x-beginSignIn', { ...wanted, redirectUri: redirect.uri });
    screen.note(`open this page to sign in: ${oneLine(begun.url, 4_000)}`);
    if (!isShownOnly && context.stderr.isTTY === true) openBrowser(context, begun.url);
    screen.status('waiting for the sign-in');
    const { code, iss, error } = await redirect.returned(begun.id, begun.expiresIn * 1_000);
    if (code === undefined)
      throw new CliError(EXIT.error, `the sign-in failed: ${oneLine(error ?? '', 500)}`);
    return await client.request('x-finishSignIn', {
      channel: ROOT_URI,
      id: begun.id,
      code,
      ...defined({ iss }),
    });
  } finally {
    screen.status(undefined);
    await redirect.close();
  }
}

/** Opens the page, where a browser is there. The address is on the screen in any case. */
function openBrowser({ platform, env }: Context, url: string): void {
  const { AGENTHOST_TOKEN: _token, ...clean } = env;
  const command = platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [url], { stdio: 'ignore', detached: true, env: clean });
  child.on('error', () => undefined);
  child.unref();
}
