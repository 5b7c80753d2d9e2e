import { HOOK_CONSENT_TOOL } from '@agenthost/protocol';
import type { TurnOutput } from '../../../agents/turn.ts';
import { askConsent, type ConsentAnswer } from '../../../turns/tools/consent.ts';
import { type HookCommand, hostPath, type ParsedChild } from '../child.ts';

/** Asks whether hooks may run. A person is asked, whatever the session's approvals say. */
export const askAboutHooks = (output: TurnOutput, hooks: readonly ParsedChild[]): Promise<ConsentAnswer> =>
  askConsent(output, {
    call: {
      toolName: HOOK_CONSENT_TOOL,
      displayName: 'Hooks',
      intention: 'Customizations of this session run commands on this machine by themselves',
      kind: 'execute',
    },
    invocationMessage: `Run ${hooks.map(({ child }) => child.name).join(', ')}`,
    toolInput: hooks.map(shownHook).join('\n\n'),
    confirmationTitle: 'Run these hooks on this machine?',
    refusal: 'Never in this folder',
    allowed: 'Allowed the hooks',
  });

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
