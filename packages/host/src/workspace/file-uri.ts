import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { invalidParams } from '@agenthost/protocol';

const LONGEST_URI = 8_192;

/**
 * The absolute path that a client's `file:` URI names, `.` and `..` resolved. Throws a `-32602` that names the fault:
 * another scheme or host, a query or fragment, an escaped slash or NUL, or an escape that is not UTF-8.
 */
export function pathOfFileUri(uri: string): string {
  const fault = faultOf(uri);
  if (fault !== undefined) throw invalidParams(`${JSON.stringify(uri.slice(0, 200))}: ${fault}`);
  return fileURLToPath(uri);
}

/** The `file:` URI of an absolute path. */
export function fileUriOf(path: string): string {
  return pathToFileURL(path).href;
}

function faultOf(uri: string): string | undefined {
  if (!/^file:/i.test(uri)) return 'expected a file: URI';
  if (!/^file:\/\/(localhost)?\/(?!\/)/i.test(uri))
    return 'expected file:/// and an absolute path on this machine';
  if (uri.length > LONGEST_URI) return `longer than ${LONGEST_URI} characters`;
  if (/\p{Cs}/u.test(uri)) return 'it is no well-formed Unicode';
  if (/[?#]/.test(uri)) return 'a ? or # in a path has to be percent-encoded';
  // A URL parser would drop some of these characters and turn others into slashes.
  if (/\\|\p{Cc}|\s$/u.test(uri)) return 'control characters and backslashes have to be percent-encoded';
  if (/%(2f|00)/i.test(uri)) return 'an encoded slash or NUL names no file';
  if (/%(?![0-9a-f]{2})/i.test(uri)) return 'a % has to be followed by two hexadecimal digits';
  try {
    // On Windows this refuses more: an encoded backslash, a path without a drive.
    return isAbsolute(fileURLToPath(uri)) ? undefined : 'expected an absolute path';
  } catch (error) {
    return error instanceof URIError ? 'its escapes are no UTF-8' : 'it names no file on this machine';
  }
}
