import { relative, sep } from 'node:path';
import type { RememberedApproval } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ApprovalPolicy } from '../config/session-keys.ts';
import { isWithin } from '../workspace/real-path.ts';
import { type Ask, isEditOfFiles } from './ask.ts';
import { covers, type HostCoverage } from './coverage.ts';
import { realPathOf } from './files.ts';

/** An approval as it is kept: what clients see, and how calls are matched. */
export interface StoredApproval extends RememberedApproval {
  /** What the host lets run, where `covers` says that the agent decides; absent: nothing. */
  readonly hostCovers?: HostCoverage;
  /** The chat whose agent remembers it, where `covers` says that the agent decides. */
  readonly agentChat?: string;
  /** That chat's turn in which it was given. */
  readonly agentTurn?: string;
  /** Config values that its agent has changed in that turn by itself, such as a mode that asks less. */
  readonly agentConfig?: ConfigChanges;
  /** Of the input that it covers. */
  readonly fingerprint?: string;
  /** Who runs the tool, as JSON; absent: the agent. */
  readonly contributor?: string;
}

/** Config values by key: before a change, and after it. */
export type ConfigChanges = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

/** What decided in place of a person; stands in the tool call's `_meta`. */
export type Decider = { readonly policy: ApprovalPolicy } | { readonly approval: string };

/** What becomes of a question: a person is asked, or something decides in their place. */
export type Verdict =
  | { readonly outcome: 'ask' }
  | { readonly outcome: 'run' | 'deny'; readonly by: Decider };

/** Decides a question by the session's policy and what is remembered. Refusing comes first. */
export function decide(policy: ApprovalPolicy, ask: Ask, remembered: readonly StoredApproval[]): Verdict {
  if (policy === 'none') return { outcome: 'deny', by: { policy } };
  if (policy === 'all') return { outcome: 'run', by: { policy } };
  if (policy === 'edits' && isEditWithin(ask)) return { outcome: 'run', by: { policy } };
  const approval = remembered.find((each) => allows(each, ask));
  return approval === undefined ? { outcome: 'ask' } : { outcome: 'run', by: { approval: approval.id } };
}

/**
 * Whether a call edits files of its folder and nothing else, by what it says it would change: that it calls itself an edit is not
 * enough. Deleting asks, and so do hidden files and folders, where a change can run programs later (`.git/hooks`, `.envrc`).
 */
function isEditWithin(ask: Ask): boolean {
  const { folder } = ask;
  return (
    folder !== undefined &&
    isEditOfFiles(ask) &&
    ask.files.every(
      (file) =>
        file !== folder &&
        isWithin(file, folder) &&
        !relative(folder, file)
          .split(sep)
          .some((name) => name.startsWith('.')),
    )
  );
}

/** Whether a remembered approval lets a call run. */
function allows(approval: StoredApproval, ask: Ask): boolean {
  const shown = approval.covers.kind === 'agent' ? approval.hostCovers : approval.covers;
  return (
    shown !== undefined &&
    approval.provider === ask.provider &&
    approval.toolName === ask.toolName &&
    approval.kind === ask.kind &&
    approval.contributor === contributorKey(ask.contributor) &&
    holdsIn(approval, ask.session, ask.folder) &&
    covers(
      {
        shown,
        ...defined({ fingerprint: approval.fingerprint }),
      },
      ask,
    )
  );
}

/** Whether an approval holds for chats of a session that work in this folder (a real path). */
export function holdsIn({ scope }: RememberedApproval, session: string, folder: string | undefined): boolean {
  if (scope.kind === 'session') return scope.session === session;
  const allowed = realPathOf(scope.folder);
  return folder !== undefined && allowed !== undefined && isWithin(folder, allowed);
}

/** Who runs the tool, to compare; `undefined`: the agent. */
export const contributorKey = (contributor: Ask['contributor']): string | undefined =>
  contributor === undefined ? undefined : JSON.stringify(contributor);
