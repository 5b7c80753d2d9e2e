import type { SessionSummary } from '@agenthost/protocol';

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

/** The last part of a path or URI. */
export function baseName(uri: string): string {
  const path = pathOf(uri).replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1) || '/';
}

/** The folder that a session works in, as its URI. */
export const folderOf = ({ workingDirectories, project }: SessionSummary): string | undefined =>
  workingDirectories?.[0] ?? project?.uri;

/** Name of the project of a session, or of its folder; empty when it has none. */
export function projectName(summary: SessionSummary): string {
  if (summary.project !== undefined) return summary.project.displayName;
  const folder = folderOf(summary);
  return folder === undefined ? '' : baseName(folder);
}

/** Identity of the project of a session; empty when it has none. */
export const projectId = (summary: SessionSummary): string => summary.project?.uri ?? folderOf(summary) ?? '';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone `%` is no escape; the text is shown as it is.
    return text;
  }
}
