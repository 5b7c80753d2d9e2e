import { commandLine } from '../process/own-command.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** An agent, as a host or a look at this machine reports it. */
export interface AgentFacts {
  readonly id: string;
  readonly isReady: boolean;
  readonly isDefault: boolean;
  /** Whether it is installed and does not start. */
  readonly isFailed: boolean;
  readonly problem?: string | undefined;
  readonly install?: string | undefined;
}

/** Checks the agents: one must be ready, and the default. */
export function checkAgents(agents: readonly AgentFacts[]): Finding[] {
  const ready = agents.filter(({ isReady }) => isReady);
  const others = agents.filter(({ isReady }) => !isReady);
  const failed = others.filter(({ isFailed, isDefault }) => isFailed || isDefault);
  const findings = failed.map(({ id, isDefault, problem = 'it cannot be used', install }) =>
    (isDefault ? fault : warning)(
      'agent',
      `${id}${isDefault ? ' (the default)' : ''}: ${problem}`,
      install ??
        `\`${commandLine('agents')}\` says more, and \`${commandLine(`agents test ${id}`)}\` tries it`,
    ),
  );
  const names = ready.map(({ id }) => id).join(', ');
  const rest = others.length - failed.length;
  const more = rest > 0 ? `; ${rest} more known, see \`${commandLine('agents')}\`` : '';
  if (ready.length === 0)
    return [
      ...findings,
      fault('agents', 'none is ready', `\`${commandLine('agents')}\` lists them, and how to install one`),
    ];
  return [...findings, ok('agents', `${names} ready${more}`)];
}
