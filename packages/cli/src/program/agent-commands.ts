import type { AgentsOptions } from '../commands/agents.ts';
import type { CommandParts } from './command-builder.ts';

/** Adds `agents` and what is below it. */
export function addAgentCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const agents = command(program, 'agents', 'list agents, and why some are not available', [
    'config',
    'data',
    'url',
    'start',
    'json',
    'verbose',
  ]).action(async (options: AgentsOptions) => {
    const { agents: list } = await import('../commands/agents.ts');
    done(await list(context, screen, options));
  });
  example(agents, ['agenthost agents', 'agenthost agents --json']);
}
