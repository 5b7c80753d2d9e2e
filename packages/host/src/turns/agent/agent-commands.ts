import type { SessionState } from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import type { AgentCommand } from '../../agents/provider.ts';

/** Key of a session's `_meta` that holds the agent's slash commands. */
const COMMANDS_META = 'agenthost.commands';

/** The slash commands of a session's agent. `undefined` until the agent has reported any. */
export function commandsOf({ _meta }: Pick<SessionState, '_meta'>): readonly AgentCommand[] | undefined {
  const list = _meta?.[COMMANDS_META];
  return Array.isArray(list) ? list.filter(isCommand) : undefined;
}

/** A session's `_meta` with these commands; `undefined` when it already has them. */
export function withCommands(
  { _meta }: Pick<SessionState, '_meta'>,
  commands: readonly AgentCommand[],
): Record<string, unknown> | undefined {
  const list = commands.map(({ name, description, hint }) => ({
    name,
    description,
    ...defined({ hint }),
  }));
  if (sameJson(_meta?.[COMMANDS_META], list)) return undefined;
  return { ..._meta, [COMMANDS_META]: list };
}

/** Clients and older hosts can store any value in `_meta`. */
function isCommand(value: unknown): value is AgentCommand {
  if (typeof value !== 'object' || value === null) return false;
  const isText = (key: string): boolean => typeof Reflect.get(value, key) === 'string';
  return isText('name') && isText('description') && (!('hint' in value) || isText('hint'));
}
