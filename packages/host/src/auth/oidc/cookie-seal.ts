import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts values that a browser keeps for the host (AES-256-GCM). The key is random and exists only in this object, so that after a restart of the host
 * no earlier value can be opened.
 */
export class CookieSeal {
  readonly #key = randomBytes(32);

  /** The encrypted text in base64url. */
  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** The text behind a sealed one. `undefined`: another object sealed it, or it was changed. */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    const start = NONCE_BYTES + TAG_BYTES;
    if (bytes.length < start) return undefined;
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES), options);
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, start));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString('utf8');
    } catch {
      // The tag differs.
      return undefined;
    }
  }
}
