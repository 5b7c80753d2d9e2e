import { statSync } from 'node:fs';
import type { Cancel, Timers } from '../lib/clock.ts';
import { readCredentials, type TlsCredentials, TlsError, type TlsFiles } from './credentials.ts';

/** How often the files are looked at. */
const LOOK_MS = 10_000;

interface Parts {
  readonly files: TlsFiles;
  /** What is in use. */
  readonly credentials: TlsCredentials;
  readonly timers: Timers;
  /** ms since the epoch. */
  now(): number;
  /** They are others now. */
  use(credentials: TlsCredentials): void;
  /** What lies there now is of no use; what was in use stays. */
  refuse(error: TlsError): void;
}

/**
 * Reads certificate and key again when their files have changed, whoever renews them and however: no signal, which a closed terminal sends as well, and
 * which not every tool that renews certificates knows to send. The files are looked at rather than watched, since such tools replace links
 * and folders around them; they are read once they have been left alone for {@link LOOK_MS}, so that nobody meets half of a pair.
 */
export class CertificateRenewal {
  readonly #parts: Parts;
  #inUse: TlsCredentials;
  /** How the files looked the last time. */
  #look: string;
  /** They may be others than those in use, or those last refused. */
  #isNew = true;
  #cancel: Cancel = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#inUse = parts.credentials;
    this.#look = this.#lookNow();
    this.#lookLater();
  }

  end(): void {
    this.#cancel();
  }

  #lookLater(): void {
    this.#cancel = this.#parts.timers.after(LOOK_MS, () => {
      const look = this.#lookNow();
      const isStill = look === this.#look;
      this.#look = look;
      if (isStill && this.#isNew) this.#read();
      else if (!isStill) this.#isNew = true;
      this.#lookLater();
    });
  }

  #read(): void {
    this.#isNew = false;
    const { files, now, use, refuse } = this.#parts;
    try {
      const credentials = readCredentials(files, now());
      if (credentials.cert === this.#inUse.cert && credentials.key === this.#inUse.key) return;
      use(credentials);
      this.#inUse = credentials;
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      refuse(error);
    }
  }

  #lookNow(): string {
    const { certFile, keyFile } = this.#parts.files;
    return [certFile, keyFile].map(lookOf).join(' ');
  }
}

/** What changes when a file is written or replaced, links followed. */
function lookOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    // Why it is not there is told when it is read.
    return 'none';
  }
}
