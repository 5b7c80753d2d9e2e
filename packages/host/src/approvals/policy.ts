import { relative, sep } from 'node:path';
import type { RememberedApproval } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ApprovalPolicy } from '../config/session-keys.ts';
import { isWithin } from '../workspace/real-path.ts';
import { type Ask, isEditOfFiles } from './ask.ts';
import { covers, type HostCoverage } from './coverage.ts';
import { realPathOf } from './files.ts';

/** A stored approval: the public part, and the data to match calls. */
export interface StoredApproval extends RememberedApproval {
  /** Calls that the host allows for an approval that the agent stores itself. Absent: none. */
  readonly hostCovers?: HostCoverage;
  /** The chat of the agent, for an approval that the agent stores itself. */
  readonly agentChat?: string;
  /** The turn of that chat in which the approval was given. */
  readonly agentTurn?: string;
  /** Config values that the agent changed in that turn itself, for example to a mode that asks less. */
  readonly agentConfig?: ConfigChanges;
  /** Fingerprint of the allowed input. */
  readonly fingerprint?: string;
  /** The contributor that runs the tool, as JSON. Absent: the agent. */
  readonly contributor?: string;
}

/** Config values by key, before and after a change. */
export type ConfigChanges = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

/** The setting that decided without a user. Stored in the tool call's `_meta`. */
export type Decider = { readonly policy: ApprovalPolicy } | { readonly approval: string };

/** The outcome of a question: users are asked, or a setting decides. */
export type Verdict =
  | { readonly outcome: 'ask' }
  | { readonly outcome: 'run' | 'deny'; readonly by: Decider };

/** Decides a question by the session's policy and the remembered approvals. A denial takes precedence. */
export function decide(policy: ApprovalPolicy, ask: Ask, remembered: readonly StoredApproval[]): Verdict {
  if (policy === 'none') return { outcome: 'deny', by: { policy } };
  if (ask.isAlwaysAsked) return { outcome: 'ask' };
  if (ask.outside.length > 0) {
    // A person has seen that this call leaves the worktree, and has allowed exactly this one.
    const exact = remembered.find(
      (each) => each.scope.kind === 'session' && each.covers.kind !== 'tool' && allows(each, ask),
    );
    return exact === undefined ? { outcome: 'ask' } : { outcome: 'run', by: { approval: exact.id } };
  }
  if (policy === 'all') return { outcome: 'run', by: { policy } };
  if (policy === 'edits' && isEditWithin(ask)) return { outcome: 'run', by: { policy } };
  const approval = remembered.find((each) => allows(each, ask));
  return approval === undefined ? { outcome: 'ask' } : { outcome: 'run', by: { approval: approval.id } };
}

/**
 * Whether a call edits only files in its folder, according to the changes that it lists. Its kind alone is
 * not sufficient. Deletions are excluded, and so are hidden files and folders, where a change can later run
 * programs (`.git/hooks`, `.envrc`).
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

/** Whether a remembered approval allows a call. */
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

/** Whether an approval applies to chats of a session that work in this folder (a real path). */
export function holdsIn({ scope }: RememberedApproval, session: string, folder: string | undefined): boolean {
  if (scope.kind === 'session') return scope.session === session;
  const allowed = realPathOf(scope.folder);
  return folder !== undefined && allowed !== undefined && isWithin(folder, allowed);
}

/** A comparable key of the contributor that runs the tool; `undefined`: the agent. */
export const contributorKey = (contributor: Ask['contributor']): string | undefined =>
  contributor === undefined ? undefined : JSON.stringify(contributor);
