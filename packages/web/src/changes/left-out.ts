import type { ChangesetLeftOut, URI } from '@agenthost/protocol';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { relativePath } from './file-status.ts';

/** Files that the line names. */
const MAX_SHOWN = 5;

/** Names the files that changes leave out. `root`: URI of the working directory. `undefined`: none. */
export function leftOutText(
  leftOut: ChangesetLeftOut | undefined,
  root: URI | undefined,
): string | undefined {
  if (leftOut === undefined || leftOut.count === 0) return undefined;
  const texts = workspaceText.changes;
  const reasons: ReadonlyMap<string, string> = new Map(Object.entries(texts.leftOutReason));
  const shown = leftOut.files.slice(0, MAX_SHOWN);
  const more = leftOut.count - shown.length;
  const names = shown.map(({ uri, reason }) =>
    texts.leftOutFile(visibleText(relativePath(uri, root)), reasons.get(reason) ?? visibleText(reason)),
  );
  if (names.length === 0) return texts.leftOut(texts.leftOutCount(leftOut.count));
  return texts.leftOut([...names, ...(more > 0 ? [texts.leftOutMore(more)] : [])].join(', '));
}
