import { statSync } from 'node:fs';
import type { Cancel, Timers } from '../lib/clock.ts';
import { readCredentials, type TlsCredentials, TlsError, type TlsFiles } from './credentials.ts';

/** Interval of checks of the files. */
const LOOK_MS = 10_000;

interface Parts {
  readonly files: TlsFiles;
  /** The credentials in use. */
  readonly credentials: TlsCredentials;
  readonly timers: Timers;
  /** ms since the epoch. */
  now(): number;
  /** Called with new credentials. */
  use(credentials: TlsCredentials): void;
  /** Called when the new files are invalid. The credentials in use stay. */
  refuse(error: TlsError): void;
}

/**
 * Reloads certificate and key when their files have changed. It needs no signal: a closed terminal sends SIGHUP too, and not every renewal
 * tool sends one. It polls the files instead of watching them, since such tools replace links and folders. It reads the files once they have
 * not changed for {@link LOOK_MS}, so that it never reads half of a new pair.
 */
export class CertificateRenewal {
  readonly #parts: Parts;
  #inUse: TlsCredentials;
  /** Fingerprint of the files at the last check. */
  #look: string;
  /** Whether the files may differ from those in use and those last refused. */
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

/** A text that changes when the file, or the target of the link, is written or replaced. */
function lookOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    // Reading the file reports the reason.
    return 'none';
  }
}
