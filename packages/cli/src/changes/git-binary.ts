import { deflateSync } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
const BYTES_IN_LINE = 52;

/** The two versions of a binary file as `git diff --binary` writes them: the new one, and the old one for `git apply -R`. */
export const binaryPatch = (before: Uint8Array, after: Uint8Array): string =>
  `GIT binary patch\n${literal(after)}\n${literal(before)}\n`;

function literal(bytes: Uint8Array): string {
  const packed = deflateSync(bytes);
  let text = `literal ${bytes.length}\n`;
  for (let at = 0; at < packed.length; at += BYTES_IN_LINE) {
    const part = packed.subarray(at, at + BYTES_IN_LINE);
    // A to Z stand for 1 to 26 bytes, a to z for 27 to 52.
    text += `${String.fromCharCode(part.length + (part.length <= 26 ? 64 : 70))}${base85(part)}\n`;
  }
  return text;
}

/** Five characters for each four bytes. The last group is filled up with zeros. */
function base85(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let offset = 0; offset < 4; offset += 1) value = value * 256 + (bytes[at + offset] ?? 0);
    let group = '';
    for (let digit = 0; digit < 5; digit += 1) {
      group = ALPHABET.charAt(value % 85) + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
