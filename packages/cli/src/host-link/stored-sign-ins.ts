import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AhpClient, RpcError } from '@agenthost/client';
import { ErrorCodes, type FinishSignInResult, ROOT_URI } from '@agenthost/protocol';
import { defined, hasCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { signInsFile } from '../process/files.ts';

/** A token for a resource, for one host. */
interface StoredSignIn {
  /** Origin of the host, which got the token from the authorization server. No other host gets it. */
  readonly host: string;
  readonly resource: string;
  readonly token: string;
  readonly scopes?: readonly string[];
  /** ms since the epoch. Absent: unknown. */
  readonly expiresAt?: number;
}

/** Stores a token where only this user can read it, in place of an earlier one for the same host and resource. */
export async function storeSignIn(
  context: Context,
  url: string,
  { resource, token, scopes, expiresIn }: FinishSignInResult,
): Promise<void> {
  const host = hostOf(url);
  const expiresAt = expiresIn === undefined ? undefined : Date.now() + expiresIn * 1_000;
  const others = (await read(context)).filter((each) => each.host !== host || each.resource !== resource);
  await write(context, [...others, { host, resource, token, ...defined({ scopes, expiresAt }) }]);
}

/**
 * Passes the stored tokens of a host to it, so that the turns of this client have them [AUTH-2]. Tokens that have expired, or that the host does not
 * take, are removed. A host that does not know the method gets none.
 */
export async function passSignIns(context: Context, url: string, client: AhpClient): Promise<void> {
  const all = await read(context);
  const now = Date.now();
  const own = all.filter(({ host }) => host === hostOf(url));
  if (own.length === 0) return;
  const gone = new Set<StoredSignIn>();
  for (const stored of own) {
    const { resource, token, scopes, expiresAt } = stored;
    const expiresIn = expiresAt === undefined ? undefined : Math.floor((expiresAt - now) / 1_000);
    if (expiresIn !== undefined && expiresIn < 1) gone.add(stored);
    else {
      try {
        const more = defined({ scopes: scopes && [...scopes], expiresIn });
        await client.request('authenticate', { channel: ROOT_URI, resource, token, ...more });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.code === ErrorCodes.AuthRequired) gone.add(stored);
      }
    }
  }
  if (gone.size === 0) return;
  // Another command may have stored a sign-in meanwhile.
  const isGone = (each: StoredSignIn): boolean =>
    [...gone].some(
      ({ host, resource, token }) => each.host === host && each.resource === resource && each.token === token,
    );
  await write(
    context,
    (await read(context)).filter((each) => !isGone(each)),
  );
}

const hostOf = (url: string): string => new URL(url).host;

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

async function write(context: Context, stored: readonly StoredSignIn[]): Promise<void> {
  const file = signInsFile(context);
  const draft = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const opened = await open(draft, 'wx', 0o600);
    try {
      await opened.writeFile(JSON.stringify(stored));
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
