import { changes } from './en/changes.ts';
import { comments } from './en/comments.ts';
import { files } from './en/files.ts';
import { worktrees } from './en/worktrees.ts';
import { chooseCatalogue } from './text.ts';

const english = { changes, comments, files, worktrees };

/** The texts of the workspace of a session. They are not in the first load of the page. */
export const workspaceText: typeof english = chooseCatalogue({ en: english }, english).catalogue;
