import { createECDH, createPublicKey } from 'node:crypto';
import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import {
  AccessError,
  foreignOwner,
  isOpenToOthers,
  isRoot,
  isWritableByOthers,
} from '../../lib/file-facts.ts';
import { createPrivateFile } from '../../lib/private-file.ts';
import type { Sync } from '../../sync/sync.ts';

/** The host's key pair for Web Push (VAPID, RFC 8292), in base64url. */
export interface VapidKeys {
  /** Uncompressed P-256 point. */
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The file of the keys in the data folder. */
const KEYS_FILE = 'push-keys.json';
const META_KEY = 'pushKeys';
/** Bytes of a private key of P-256. */
const KEY_BYTES = 32;

/**
 * Loads the keys or makes them on first use: in a file of mode 0600 in the data folder, or in the journal of a host without one. Rejects with
 * `AccessError` for a file that others could have written or that holds no keys: subscriptions of browsers are bound to the keys.
 */
export async function loadKeys(sync: Sync, dataDir: string | undefined): Promise<VapidKeys> {
  if (dataDir !== undefined) return fromFile(join(dataDir, KEYS_FILE));
  const stored = parseKeys(await sync.journal.readMeta(META_KEY));
  if (stored !== undefined) return stored;
  const made = makeKeys();
  await sync.commitRows([{ op: 'meta', key: META_KEY, value: JSON.stringify(made) }]);
  return made;
}

/** Makes a pair. Exported for its test. */
export function makeKeys(): VapidKeys {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const bytes = pair.getPrivateKey();
  // Node leaves leading zeros out.
  const padded = Buffer.concat([Buffer.alloc(KEY_BYTES - bytes.length), bytes]);
  return { publicKey: pair.getPublicKey('base64url'), privateKey: padded.toString('base64url') };
}

function fromFile(path: string): VapidKeys {
  const text = readIfPresent(path) ?? create(path);
  const keys = parseKeys(text);
  if (keys === undefined)
    throw new AccessError(`${path} holds no keys for push: remove it, and subscribe each device again`);
  return keys;
}

function create(path: string): string {
  createPrivateFile(path, `${JSON.stringify(makeKeys())}\n`);
  return readIfPresent(path) ?? '';
}

/** Follows no link, and does not block on a named pipe. */
function readIfPresent(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new AccessError(`${path} cannot be read`, { cause: error });
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new AccessError(`${path} is not a file: remove it`);
    const isForeign = foreignOwner(stats) !== undefined && !isRoot();
    if (isForeign || isWritableByOthers(stats))
      throw new AccessError(
        `${path} could have been written by others: remove it, and subscribe each device again`,
      );
    if (isOpenToOthers(stats)) fchmodSync(file, 0o600);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** `undefined`: the text holds no pair of keys. */
function parseKeys(text: string | undefined): VapidKeys | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const publicKey = 'publicKey' in value ? value.publicKey : undefined;
    const privateKey = 'privateKey' in value ? value.privateKey : undefined;
    if (typeof publicKey !== 'string' || typeof privateKey !== 'string') return undefined;
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(privateKey, 'base64url');
    return pair.getPublicKey('base64url') === publicKey ? { publicKey, privateKey } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text is an uncompressed P-256 point in base64url, as `p256dh` of a subscription. */
export function isPoint(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 65 || bytes[0] !== 4 || !/^[\w-]+=*$/.test(text)) return false;
  const x = bytes.toString('base64url', 1, 33);
  const y = bytes.toString('base64url', 33);
  try {
    // Refuses points that are not on the curve.
    createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
    return true;
  } catch {
    return false;
  }
}
