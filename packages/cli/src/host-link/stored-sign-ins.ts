import { readFile } from 'node:fs/promises';
import { type AhpClient, RpcError } from '@agenthost/client';
import { ErrorCodes, type FinishSignInResult, ROOT_URI } from '@agenthost/protocol';
import { defined, hasCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { signInsFile } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { changeFile } from './change-file.ts';
import type { HostTarget } from './find-host.ts';

/** A token for a resource, for one host. */
interface StoredSignIn {
  /** Key of the host, which got the token from the authorization server. No other host gets it. */
  readonly host: string;
  readonly resource: string;
  readonly token: string;
  readonly scopes?: readonly string[];
  /** ms since the epoch. Absent: unknown. */
  readonly expiresAt?: number;
}

/** The host that a token is for. */
export type SignInTarget = Pick<HostTarget, 'url' | 'isOwn' | 'ssh'>;

/**
 * Stores a token where only this user can read it, in place of an earlier one for the same host and resource. Commands at the same time lose nothing.
 */
export async function storeSignIn(
  context: Context,
  target: SignInTarget,
  { resource, token, scopes, expiresIn }: FinishSignInResult,
): Promise<void> {
  const host = keyOf(target);
  const expiresAt = expiresIn === undefined ? undefined : Date.now() + expiresIn * 1_000;
  const stored = { host, resource, token, ...defined({ scopes, expiresAt }) };
  const former = target.isOwn ? formerKeyOf(target) : undefined;
  const isReplaced = (each: StoredSignIn): boolean =>
    each.resource === resource && (each.host === host || each.host === former);
  await change(context, (all) => [...all.filter((each) => !isReplaced(each)), stored]);
}

/**
 * Passes the stored tokens of a host to it, so that the turns of this client have them [AUTH-2]. Tokens that have expired, or that the host does not
 * take, are removed. A host that does not know the method gets none. `note` gets a line about tokens that are removed because several hosts share their
 * address and the file does not name the host.
 */
export async function passSignIns(
  context: Context,
  target: SignInTarget,
  client: AhpClient,
  note: (line: string) => void,
): Promise<void> {
  const host = keyOf(target);
  const former = formerKeyOf(target);
  const now = Date.now();
  const gone: StoredSignIn[] = [];
  let unclear = 0;
  for (const stored of await read(context)) {
    const { resource, token, scopes, expiresAt } = stored;
    const expiresIn = expiresAt === undefined ? undefined : Math.floor((expiresAt - now) / 1_000);
    if (stored.host === former && !target.isOwn) {
      gone.push(stored);
      unclear += 1;
    } else if (stored.host !== host && stored.host !== former) continue;
    else if (expiresIn !== undefined && expiresIn < 1) gone.push(stored);
    else {
      try {
        const more = defined({ scopes: scopes && [...scopes], expiresIn });
        await client.request('authenticate', { channel: ROOT_URI, resource, token, ...more });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.code === ErrorCodes.AuthRequired) gone.push(stored);
      }
    }
  }
  if (gone.length === 0) return;
  // Another command may have stored a sign-in meanwhile.
  const isGone = (each: StoredSignIn): boolean =>
    gone.some((one) => each.host === one.host && each.resource === one.resource && each.token === one.token);
  await change(context, (all) => all.filter((each) => !isGone(each)));
  if (unclear > 0)
    note(
      `removed ${unclear} stored ${unclear === 1 ? 'sign-in' : 'sign-ins'} of ${former}: an earlier version did not store for which of the hosts there; sign in again with \`${commandLine('login')}\``,
    );
}

/**
 * Identifies a host among those that share an address: hosts behind a gateway differ in their paths, those behind SSH in user, data folder or command.
 */
function keyOf({ url, ssh }: SignInTarget): string {
  if (ssh === undefined) {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol.replace('http', 'ws')}//${host}${pathname === '/' ? '/ahp' : pathname}`;
  }
  const { destination, port, data, command } = ssh;
  const place = new URLSearchParams(defined({ data, command })).toString();
  return `ssh://${destination}${port === undefined ? '' : `:${port}`}${place === '' ? '' : `?${place}`}`;
}

/** The key that an earlier version stored. Several hosts share it, except for the host of this machine. */
const formerKeyOf = ({ url }: SignInTarget): string | undefined => URL.parse(url)?.host;

/** A file that is missing or damaged holds no tokens. */
async function read(context: Context): Promise<readonly StoredSignIn[]> {
  try {
    const stored: unknown = JSON.parse(await readFile(signInsFile(context), 'utf8'));
    return Array.isArray(stored) ? stored.filter(isStored) : [];
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR') || error instanceof SyntaxError) return [];
    throw error;
  }
}

function isStored(value: unknown): value is StoredSignIn {
  if (typeof value !== 'object' || value === null) return false;
  const texts = ['host', 'resource', 'token'].map((key): unknown => Reflect.get(value, key));
  return texts.every((each) => typeof each === 'string');
}

async function change(
  context: Context,
  edit: (stored: readonly StoredSignIn[]) => readonly StoredSignIn[],
): Promise<void> {
  await changeFile(signInsFile(context), async () => JSON.stringify(edit(await read(context))));
}
