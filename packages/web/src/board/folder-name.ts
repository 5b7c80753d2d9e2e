import type { SessionSummary } from '@agenthost/protocol';
import { baseName } from '../text/file-path.ts';

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
