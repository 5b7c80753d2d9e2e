import type { ChangesetOperation } from '@agenthost/protocol';
import { canAmend, hasCommitContent } from '../../workspace/git/commit.ts';
import type { GitState } from '../../workspace/git/git-state.ts';
import { countOf, type GitTree } from '../../workspace/git/git-tree.ts';
import { canPull, canPush } from '../../workspace/git/remotes.ts';

/** A working tree with its state. */
export interface KnownTree {
  readonly tree: GitTree;
  readonly state: GitState;
}

/** The operations of git on uncommitted changes; those that are not possible now are disabled, or left out if they never are. */
export function offeredGit(trees: readonly KnownTree[], message: string): ChangesetOperation[] {
  const [first] = trees;
  if (first === undefined) return [];
  const { state } = first;
  const any = (test: (known: KnownTree) => boolean): ChangesetOperation['status'] =>
    trees.some(test) ? 'idle' : 'disabled';
  const hasRemote = trees.some(({ state: { remotes } }) => remotes.length > 0);
  const hasUpstream = trees.some(({ state: { upstream } }) => upstream !== undefined);
  return [
    {
      id: 'stage',
      label: 'Stage',
      description: 'Marks the changes for the next commit',
      scopes: ['changeset', 'resource'],
      icon: 'add',
      group: 'commit',
      // A file with a conflict is staged alone.
      status: any(({ state: { entries } }) => entries.some(({ isUnstaged }) => isUnstaged)),
    },
    {
      id: 'unstage',
      label: 'Unstage',
      description: 'Takes the changes out of the next commit. The files stay as they are.',
      scopes: ['changeset', 'resource'],
      icon: 'remove',
      group: 'commit',
      status: any(({ state: { entries } }) => entries.some(({ isStaged }) => isStaged)),
    },
    {
      id: 'commit',
      label: 'Commit',
      description: `Commits to ${placeOf(state)}`,
      scopes: ['changeset'],
      icon: 'check',
      group: 'commit',
      status: any((known) => hasCommitContent(known.tree, known.state) || canAmend(known.state)),
      'x-inputs': [
        { name: 'message', label: 'Message', type: 'string', isLong: true, default: message },
        {
          name: 'all',
          label: 'With unstaged changes',
          type: 'boolean',
          default: !trees.some(({ state: { entries } }) => entries.some(({ isStaged }) => isStaged)),
        },
        ...(canAmend(state)
          ? [{ name: 'amend', label: 'Replace the last commit', type: 'boolean', default: false } as const]
          : []),
      ],
    },
    ...(hasRemote
      ? [
          push(
            first,
            any(({ state: each }) => canPush(each)),
          ),
        ]
      : []),
    ...(hasUpstream
      ? [
          {
            id: 'pull',
            label: 'Pull',
            description: `Brings the commits of ${state.upstream ?? 'the remote branch'} into ${placeOf(state)}`,
            scopes: ['changeset'],
            icon: 'arrow-down',
            group: 'sync',
            status: any(({ state: each }) => canPull(each)),
          } satisfies ChangesetOperation,
        ]
      : []),
    ...(hasRemote
      ? [
          {
            id: 'fetch',
            label: 'Fetch',
            description: 'Looks for new commits of the remote. Your files stay as they are.',
            scopes: ['changeset'],
            icon: 'sync',
            group: 'sync',
            status: 'idle',
          } satisfies ChangesetOperation,
        ]
      : []),
    ...stashing(first),
    {
      id: 'create-branch',
      label: 'Create branch',
      description: 'Creates a branch at the last commit and switches to it. Your changes stay.',
      scopes: ['changeset'],
      icon: 'git-branch',
      group: 'branch',
      status: 'idle',
      'x-inputs': [{ name: 'name', label: 'Name', type: 'string', isRequired: true }],
    },
    {
      id: 'switch-branch',
      label: 'Switch branch',
      description: 'Refused if changes of yours would be overwritten',
      scopes: ['changeset'],
      icon: 'git-branch',
      group: 'branch',
      status: state.operation === undefined && state.commit !== undefined ? 'idle' : 'disabled',
      'x-inputs': [{ name: 'name', label: 'Name', type: 'string', isRequired: true }],
    },
  ];
}

const placeOf = ({ branch }: GitState): string => branch ?? 'no branch';

function push({ state }: KnownTree, status: ChangesetOperation['status']): ChangesetOperation {
  const { ahead, upstream } = state;
  const to = upstream ?? 'a new branch of the remote';
  const what = ahead === undefined ? placeOf(state) : `${countOf(ahead, 'commit')} of ${placeOf(state)}`;
  return {
    id: 'push',
    label: 'Push',
    description: `Sends ${what} to ${to}`,
    scopes: ['changeset'],
    confirmation: `Push ${what} to ${to}? Others can see the commits then.`,
    icon: 'arrow-up',
    group: 'sync',
    status,
  };
}

function stashing({ state }: KnownTree): ChangesetOperation[] {
  const { entries, commit, operation, stashCount } = state;
  const canStash = entries.length > 0 && commit !== undefined && operation === undefined;
  return [
    {
      id: 'stash',
      label: 'Stash',
      description: 'Puts the changes away, new files too. Apply them again later.',
      scopes: ['changeset'],
      icon: 'archive',
      group: 'stash',
      status: canStash ? 'idle' : 'disabled',
      'x-inputs': [{ name: 'message', label: 'Message', type: 'string' }],
    },
    ...(stashCount === 0
      ? []
      : [
          {
            id: 'stash-pop',
            label: 'Apply stash',
            description: `Applies the last stash and removes it (${stashCount} in all)`,
            scopes: ['changeset'],
            icon: 'archive',
            group: 'stash',
            status: operation === undefined ? 'idle' : 'disabled',
          } satisfies ChangesetOperation,
        ]),
  ];
}
