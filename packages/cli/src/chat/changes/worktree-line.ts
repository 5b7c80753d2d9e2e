import type { SessionWorktree } from '@agenthost/protocol';
import { oneLine } from '../../render/plain-text.ts';
import { type Line, span } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';

/** The branch of a worktree, how it differs from its base, and what people should know about it. */
export function worktreeLines(worktree: SessionWorktree, width: number): Line[] {
  const { branch, ahead, behind, uncommittedChanges, note, state } = worktree;
  const facts = [
    ahead === undefined || behind === undefined ? '' : `${ahead} ahead, ${behind} behind`,
    uncommittedChanges === undefined || uncommittedChanges === 0
      ? ''
      : uncommittedChanges === 1
        ? '1 file is not committed'
        : `${uncommittedChanges} files are not committed`,
    state === 'missing' ? 'the folder is gone' : '',
  ].filter((fact) => fact !== '');
  const lines: Line[] = [
    [
      span('worktree ', { dim: true }),
      span(branch === undefined ? 'without a branch' : oneLine(branch, 200)),
      span(` from ${baseNameOf(worktree)}: ${facts.join(', ')}`, { dim: true }),
    ],
  ];
  if (note !== undefined) lines.push([span(oneLine(note, 500), { color: 'yellow' })]);
  return [...lines.map((each) => cutLine(each, width)), []];
}

/** The base of a worktree for people. */
export const baseNameOf = ({ base }: SessionWorktree): string =>
  /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(base) ? base.slice(0, 10) : oneLine(base, 200);
