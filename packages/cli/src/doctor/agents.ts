import { commandLine } from '../process/own-command.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** An agent, as a host or a check of this machine reports it. */
export interface AgentFacts {
  readonly id: string;
  readonly isReady: boolean;
  readonly isDefault: boolean;
  /** Whether the agent is installed but does not start. */
  readonly isFailed: boolean;
  readonly problem?: string | undefined;
  readonly install?: string | undefined;
}

/** Checks the agents: at least one must be ready, and the default agent. */
export function checkAgents(agents: readonly AgentFacts[]): Finding[] {
  const ready = agents.filter(({ isReady }) => isReady);
  const others = agents.filter(({ isReady }) => !isReady);
  const failed = others.filter(({ isFailed, isDefault }) => isFailed || isDefault);
  const findings = failed.map(({ id, isDefault, problem = 'it cannot be used', install }) =>
    (isDefault ? fault : warning)(
      'agent',
      `${id}${isDefault ? ' (the default)' : ''}: ${problem}`,
      install ??
        `\`${commandLine('agents')}\` shows details, and \`${commandLine(`agents test ${id}`)}\` tests the agent`,
    ),
  );
  const names = ready.map(({ id }) => id).join(', ');
  const rest = others.length - failed.length;
  const more = rest > 0 ? `; ${rest} more known, see \`${commandLine('agents')}\`` : '';
  if (ready.length === 0)
    return [
      ...findings,
      fault(
        'agents',
        'none is ready',
        `\`${commandLine('agents')}\` lists them, and shows how to install one`,
      ),
    ];
  return [...findings, ok('agents', `${names} ready${more}`)];
}
