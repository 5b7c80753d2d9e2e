import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { isMissing } from '../real-path.ts';

/** An object with its id. */
export interface PackObject {
  readonly kind: 'tree' | 'blob';
  readonly id: string;
  readonly content: Buffer;
}

const KINDS = { tree: 2, blob: 3 } as const;
/** Objects that are compressed before other work gets its turn. */
const AT_ONCE = 64;

/** Writes objects into one pack of a git repository: two files in place of one for each object. */
export class PackWriter {
  readonly #folder: string;
  readonly #scratch: string;
  readonly #format: 'sha1' | 'sha256';

  /** `scratch`: a folder of the same file system for files that are not complete. */
  constructor(options: { objects: string; scratch: string; format: 'sha1' | 'sha256' }) {
    this.#folder = join(options.objects, 'pack');
    this.#scratch = options.scratch;
    this.#format = options.format;
  }

  /** Writes objects with different ids. Resolves when they are on the disk. */
  async write(objects: readonly PackObject[]): Promise<void> {
    const sorted = objects.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const name = createHash(this.#format);
    for (const { id } of sorted) name.update(id);
    const path = join(this.#folder, `pack-${name.digest('hex')}`);
    if (await isRenewed(path)) return;
    const { pack, places } = await this.#pack(sorted);
    await mkdir(this.#folder, { recursive: true });
    await this.#put(`${path}.pack`, pack);
    // Git looks for the index: the pack is complete before it appears.
    await this.#put(`${path}.idx`, this.#index(sorted, places, pack.subarray(-this.#idBytes)));
  }

  get #idBytes(): number {
    return this.#format === 'sha1' ? 20 : 32;
  }

  async #pack(objects: readonly PackObject[]): Promise<{ pack: Buffer; places: Place[] }> {
    const parts: Buffer[] = [Buffer.from('PACK'), numbers(2, objects.length)];
    const places: Place[] = [];
    let offset = 12;
    for (const [index, { kind, content }] of objects.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
      const entry = Buffer.concat([entryHead(kind, content.length), deflateSync(content, { level: 1 })]);
      places.push({ offset, check: crc32(entry) });
      offset += entry.length;
      parts.push(entry);
    }
    return { pack: this.#ended(parts), places };
  }

  /** The index of a pack, version 2. The pack is smaller than 2 GiB. */
  #index(objects: readonly PackObject[], places: readonly Place[], packSum: Buffer): Buffer {
    const counts = Array.from({ length: 256 }, () => 0);
    for (const { id } of objects) {
      const first = Number.parseInt(id.slice(0, 2), 16);
      counts[first] = (counts[first] ?? 0) + 1;
    }
    let sum = 0;
    const fanOut = counts.map((count) => (sum += count));
    return this.#ended([
      Buffer.from([0xff, 0x74, 0x4f, 0x63]),
      numbers(2, ...fanOut),
      Buffer.from(objects.map(({ id }) => id).join(''), 'hex'),
      numbers(...places.map(({ check }) => check)),
      numbers(...places.map(({ offset }) => offset)),
      packSum,
    ]);
  }

  /** The parts with their checksum. */
  #ended(parts: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(parts);
    return Buffer.concat([bytes, createHash(this.#format).update(bytes).digest()]);
  }

  async #put(path: string, bytes: Buffer): Promise<void> {
    const temporary = join(this.#scratch, `${randomUUID()}.pack`);
    try {
      const file = await open(temporary, 'wx', 0o444);
      try {
        await file.writeFile(bytes);
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

/** Where an object is in its pack. */
interface Place {
  readonly offset: number;
  /** Its CRC-32. */
  readonly check: number;
}

/** The kind and the size of an object, 4 bits of the size in the first byte and 7 in each further one. */
function entryHead(kind: PackObject['kind'], size: number): Buffer {
  const bytes = [(KINDS[kind] << 4) | (size & 0xf)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}

/** Numbers of 32 bits, the high byte first. */
function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** Whether a pack is there. It counts as new then, so that it is not removed now. */
async function isRenewed(path: string): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(`${path}.idx`, now, now);
    await utimes(`${path}.pack`, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
