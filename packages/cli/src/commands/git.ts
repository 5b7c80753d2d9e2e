import type { ChangesetHandle } from '@agenthost/client';
import { type InvokeChangesetOperationResult, type SessionGit, sessionGit } from '@agenthost/protocol';
import { changeLines } from '../changes/change-lines.ts';
import { changedFile } from '../changes/file-names.ts';
import { leftOutLine } from '../changes/left-out-line.ts';
import { checkOffered, confirmed, run, type Talk } from '../changes/run-operation.ts';
import { type ChangesetOptions, withChanges } from '../changes/with-changes.ts';
import { promptText } from '../input/prompt.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `git` and all below it, as parsed. */
export type GitOptions = Pick<ChangesetOptions, 'json' | 'url' | 'start' | 'fingerprint' | 'record'>;

/** Options of `commit` as parsed. */
export interface CommitOptions extends GitOptions {
  readonly message?: string;
  readonly all?: boolean;
  readonly amend?: boolean;
  readonly push?: boolean;
  readonly yes?: boolean;
}

/** An operation of the user's git, by the name of its command below `git`. */
export type GitOperation =
  | 'push'
  | 'pull'
  | 'fetch'
  | 'stash'
  | 'stash-pop'
  | 'stage'
  | 'unstage'
  | 'branch'
  | 'switch';

const LABELS: Readonly<Record<GitOperation, string>> = {
  push: 'pushing',
  pull: 'pulling',
  fetch: 'fetching',
  stash: 'stashing',
  'stash-pop': 'applying the stash',
  stage: 'staging',
  unstage: 'unstaging',
  branch: 'creating the branch',
  switch: 'switching the branch',
};

/** Operations that the host calls by another name. */
const IDS: Partial<Record<GitOperation, string>> = { branch: 'create-branch', switch: 'switch-branch' };

/** `git push` and the like. `words`: files, a name, or a message, as the operation takes. */
export function runGit(
  context: Context,
  screen: Screen,
  { name, session, words }: { name: GitOperation; session: string; words: readonly string[] },
  options: GitOptions,
): Promise<ExitCode> {
  const talk: Talk = { context, screen, options };
  return withUncommitted(talk, session, async ({ changes, session: open, place }) => {
    const operation = IDS[name] ?? name;
    checkOffered(changes, operation, reasonAgainst(name, changes, sessionGit(open.mirror.state)));
    const job = { operation, label: LABELS[name] };
    if (name !== 'stage' && name !== 'unstage')
      return run(talk, changes, job, () => start(changes, name, words.join(' ')));
    // Looks up all files first, so that a mistyped one changes nothing.
    const files = words.map((word) => changedFile(changes, word, place));
    if (files.length === 0) return run(talk, changes, job, () => changes[name]());
    for (const file of files) await run(talk, changes, job, () => changes[name](file));
  });
}

/** Why an operation is not offered, as far as the state of the repository says. */
function reasonAgainst(name: GitOperation, changes: ChangesetHandle, git: SessionGit | undefined): string {
  const { branchName, upstreamBranchName, outgoingChanges, stashes, operation } = git ?? {};
  if (operation !== undefined) return `git ${name} is not possible in the middle of a ${oneLine(operation)}`;
  const isSync = name === 'push' || name === 'pull' || name === 'fetch';
  // `fetch` is offered if there is a remote.
  if (isSync && changes.operation('fetch') === undefined) return 'the repository has no remote';
  if (name === 'push' && branchName !== undefined && upstreamBranchName !== undefined && !outgoingChanges)
    return `nothing to push: ${oneLine(upstreamBranchName)} has all commits of ${oneLine(branchName)}`;
  if (name === 'pull' && branchName !== undefined && upstreamBranchName === undefined)
    return `${oneLine(branchName)} follows no branch of a remote`;
  if (name === 'stash' && changes.files.length === 0) return 'there are no changes to stash';
  if (name === 'stash-pop' && !stashes) return 'the stash is empty';
  return `git ${name} is not possible now`;
}

function start(
  changes: ChangesetHandle,
  name: Exclude<GitOperation, 'stage' | 'unstage'>,
  text: string,
): Promise<InvokeChangesetOperationResult> {
  switch (name) {
    case 'push':
      return changes.push();
    case 'pull':
      return changes.pull();
    case 'fetch':
      return changes.fetch();
    case 'stash':
      return changes.stash(text === '' ? undefined : text);
    case 'stash-pop':
      return changes.stashPop();
    case 'branch':
      return changes.createBranch(text);
    case 'switch':
      return changes.switchBranch(text);
    default:
      return name satisfies never;
  }
}

/** `git status`: the branch, and what differs from the last commit. */
export function showGit(
  context: Context,
  screen: Screen,
  session: string | undefined,
  options: GitOptions,
): Promise<ExitCode> {
  return withUncommitted({ context, screen, options }, session, ({ changes, session: open, place }) => {
    const git = sessionGit(open.mirror.state);
    if (options.json === true) screen.json({ type: 'git', session: open.uri, git, files: changes.files });
    else {
      if (git !== undefined) for (const line of gitLines(git)) screen.line(line);
      for (const line of changeLines(changes.files, place.folders)) screen.line(line);
      if (changes.files.length === 0) screen.note('nothing has changed since the last commit');
      const missing = leftOutLine(changes.leftOut, place.folders);
      if (missing !== undefined) screen.note(missing);
    }
    return Promise.resolve();
  });
}

function gitLines(git: SessionGit): string[] {
  const { branchName, upstreamBranchName, incomingChanges, outgoingChanges, stashes, operation } = git;
  const counts = [
    outgoingChanges ? `${outgoingChanges} ahead` : '',
    incomingChanges ? `${incomingChanges} behind` : '',
  ].filter((text) => text !== '');
  const distance = counts.length === 0 ? '' : ` (${counts.join(', ')})`;
  const upstream =
    upstreamBranchName === undefined ? '' : `, follows ${oneLine(upstreamBranchName)}${distance}`;
  return [
    branchName === undefined ? 'no branch' : `on ${oneLine(branchName)}${upstream}`,
    ...(operation === undefined ? [] : [`in the middle of a ${oneLine(operation)}`]),
    ...(stashes ? [`${stashes} in the stash`] : []),
  ];
}

/** `commit`: commits by the git of the host's user. Without a message, the proposed one is used; an amended commit keeps its own. */
export async function commit(
  context: Context,
  screen: Screen,
  session: string,
  options: CommitOptions,
): Promise<ExitCode> {
  const talk: Talk = { context, screen, options };
  const { message } = options;
  const given =
    message === undefined ? undefined : await promptText([message], context.stdin, 'commit message');
  return withUncommitted(talk, session, async ({ changes, place }) => {
    checkOffered(changes, 'commit', 'there is nothing to commit');
    const { all, amend } = options;
    // Without a message, an amended commit keeps its own.
    const message = given ?? (amend === true ? undefined : proposedMessage(changes));
    const shown = message === undefined ? [] : [...plain(message).trimEnd().split('\n'), ''];
    if (given === undefined && (amend === true || message !== undefined))
      await confirmed(talk, {
        lines: [...changeLines(changes.files, place.folders), '', ...shown],
        question: amend === true ? 'replace the last commit, with its message?' : 'commit with this message?',
        refusal: 'nothing was committed; -m gives the message',
      });
    await run(talk, changes, { operation: 'commit', label: 'committing' }, () =>
      changes.commit({
        ...(message !== undefined && { message }),
        ...(all && { all }),
        ...(amend && { amend }),
      }),
    );
    if (options.push !== true) return;
    await run(talk, changes, { operation: 'push', label: 'pushing' }, () => changes.push());
  });
}

function proposedMessage(changes: ChangesetHandle): string | undefined {
  const inputs = changes.operation('commit')?.['x-inputs'] ?? [];
  const value = inputs.find(({ name }) => name === 'message')?.default;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function withUncommitted(
  { context, screen, options }: Talk & { readonly options: GitOptions },
  session: string | undefined,
  use: Parameters<typeof withChanges>[3],
): Promise<ExitCode> {
  return withChanges(context, screen, { ...options, session, uncommitted: true }, (open) => {
    if (open.changes.error === undefined) return use(open);
    throw new CliError(EXIT.error, oneLine(open.changes.error.message, 1_000));
  });
}
