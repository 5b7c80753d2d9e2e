/** The path of a `file:` URI, for people. Another URI stays as it is. */
export function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  const path = decoded(uri.slice('file://'.length));
  // `file:///C:/x` names `C:/x`.
  const isDrive = /^\/[A-Za-z]:(?:\/|$)/.test(path);
  return isDrive ? path.slice(1) : path;
}

/** The `file:` URI of an absolute path; `undefined` for a path that is not absolute. */
export function uriOf(path: string): string | undefined {
  const forward = /^[A-Za-z]:[\\/]/.test(path) ? `/${path.replaceAll('\\', '/')}` : path;
  if (!forward.startsWith('/')) return undefined;
  const trimmed = forward.length > 1 ? forward.replace(/\/+$/, '') : forward;
  const encoded = (trimmed === '' ? '/' : trimmed).split('/').map(encodeURIComponent).join('/');
  return `file://${encoded.replace(/^\/([A-Za-z])%3A/, '/$1:')}`;
}

/** The last part of a path, or that of a URI, decoded. */
export function baseName(uri: string): string {
  const path = (isOtherUri(uri) ? decoded(uri) : pathOf(uri)).replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1) || '/';
}

const isOtherUri = (uri: string): boolean => /^[a-z][a-z\d+.-]+:/i.test(uri) && !uri.startsWith('file:');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone `%` is no escape; the text is shown as it is.
    return text;
  }
}
