import { closeSync, openSync, readSync } from 'node:fs';
import { hasCode } from '@agenthost/protocol/values';

/** A listening TCP socket. */
export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
  /** Identifies the socket; processes have links to it among their open files. */
  readonly inode: string;
}

/** State of a listening socket in the tables; see the kernel's `include/net/tcp_states.h`. */
const LISTEN = '0A';

const CHUNK_BYTES = 64 * 1024;

/** The listening sockets of this machine, from the tables of the kernel. Reads memory, not a disk, so it does not wait. */
export const listeningSockets = (): readonly ListeningSocket[] => [
  ...readTable('/proc/net/tcp'),
  ...readTable('/proc/net/tcp6'),
];

function readTable(path: string): readonly ListeningSocket[] {
  const file = openIfPresent(path);
  if (file === undefined) return [];
  const reader = new TcpTableReader();
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const byteCount = readSync(file, chunk, 0, CHUNK_BYTES, null);
      if (byteCount === 0 || !reader.push(chunk.toString('latin1', 0, byteCount))) return reader.sockets;
    }
  } finally {
    closeSync(file);
  }
}

/** A kernel without IPv6 has no second table. */
function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Reads a table of the kernel. Listening sockets come first, so a server with many connections costs no more. */
export class TcpTableReader {
  readonly sockets: ListeningSocket[] = [];
  #rest = '';

  /** Reads a piece of the table. Returns false when no listening socket follows. */
  push(text: string): boolean {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      // `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`; see proc_net_tcp(5).
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local === undefined || inode === undefined || !local.includes(':')) continue;
      if (state !== LISTEN) return false;
      const [address = '', port = ''] = local.split(':');
      this.sockets.push({ address: addressOf(address), port: Number.parseInt(port, 16), inode });
    }
    return true;
  }
}

/** The tables print each 32-bit word of an address in the byte order of the machine, which is little-endian on all that Node supports but s390x. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => {
    const inWord = (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
    return LITTLE_ENDIAN ? inWord.toReversed() : inWord;
  });
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (isMapped) return bytes.slice(12).join('.');
  // `URL` writes IPv6 addresses in their short form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
