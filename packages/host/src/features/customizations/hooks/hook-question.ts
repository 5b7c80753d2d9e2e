import { type ConfirmationOption, HOOK_CONSENT_TOOL } from '@agenthost/protocol';
import type { TurnOutput } from '../../../agents/turn.ts';
import { type HookCommand, hostPath, type ParsedChild } from '../child.ts';

const OPTIONS: ConfirmationOption[] = [
  {
    id: 'allow',
    label: 'Allow, and do not ask again while they stay the same',
    kind: 'approve',
    group: 0,
    'x-lasting': true,
  },
  { id: 'skip', label: 'Not in this session', kind: 'deny', group: 1 },
  { id: 'refuse', label: 'Never in this folder', kind: 'deny', group: 1 },
];

/** What a person has answered. `undefined`: the turn has ended first. */
export type HookConsentAnswer = 'allow' | 'skip' | 'refuse' | undefined;

/** Asks whether hooks may run, as a tool call of a turn. A person is asked, whatever the session's approvals say. */
export async function askAboutHooks(
  output: TurnOutput,
  hooks: readonly ParsedChild[],
): Promise<HookConsentAnswer> {
  const call = output.toolCall({
    toolName: HOOK_CONSENT_TOOL,
    displayName: 'Hooks',
    intention: 'Customizations of this session run commands on this machine by themselves',
    kind: 'execute',
  });
  const answer = await call.confirm({
    invocationMessage: `Run ${hooks.map(({ child }) => child.name).join(', ')}`.slice(0, 500),
    toolInput: hooks.map(shownHook).join('\n\n'),
    confirmationTitle: 'Run these hooks on this machine?',
    options: OPTIONS,
    isAlwaysAsked: true,
  });
  if (answer.approved) {
    await call.complete({ success: true, pastTenseMessage: 'Allowed the hooks' });
    return 'allow';
  }
  if (answer.reason === 'skipped') return undefined;
  return answer.selectedOption?.id === 'refuse' ? 'refuse' : 'skip';
}

/** Lines that show all that decides what would run. */
function shownHook(hook: ParsedChild): string {
  const { child, commands = [], clientId } = hook;
  const source = hostPath(hook, child.uri) ?? `${child.uri} of the client ${clientId ?? 'unknown'}`;
  return [source, ...commands.map((each) => `  ${shownCommand(each)}`)].join('\n');
}

/** `PostToolUse (Edit|Write), at most 60 s: npm run format` */
export function shownCommand({ event, matcher, command, limitMs }: HookCommand): string {
  const only = matcher === undefined ? '' : ` (${matcher})`;
  return `${event}${only}, at most ${limitMs / 1_000} s: ${/\p{Cc}/u.test(command) ? JSON.stringify(command) : command}`;
}
