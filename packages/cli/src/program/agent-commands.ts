import type { AgentsOptions } from '../commands/agents.ts';
import type { InstallOptions } from '../commands/install-agent.ts';
import type { LoginOptions } from '../commands/login.ts';
import type { LoginResourceOptions } from '../commands/login-resource.ts';
import type { SetKeyOptions } from '../commands/set-key.ts';
import type { TestAgentOptions } from '../commands/test-agent.ts';
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
  example(agents, [
    'agenthost agents',
    'agenthost agents --json',
    'agenthost agents install qwen  the version that was tested',
    'agenthost agents key mine < key.txt  of an agent with "kind": "model"',
  ]);
  const install = command(agents, 'install', "install agents into the host's own folder, or update them", [
    'config',
    'data',
    'json',
    'verbose',
  ])
    .argument(
      '<agent...>',
      'ids of known agents or of packages in the config file; ID@VERSION for a version of npm',
    )
    .action(async (wanted: string[], _own: object, self: typeof agents) => {
      const { installAgents } = await import('../commands/install-agent.ts');
      done(await installAgents(context, screen, wanted, self.optsWithGlobals<InstallOptions>()));
    });
  command(agents, 'key', 'store the key of a model agent, read from the input', ['config', 'verbose'])
    .argument('<agent>', 'its id in the config file')
    .action(async (id: string, _own: object, self: typeof agents) => {
      const { setKey } = await import('../commands/set-key.ts');
      done(await setKey(context, screen, id, self.optsWithGlobals<SetKeyOptions>()));
    });
  const testing = command(
    agents,
    'test',
    'run one turn of an agent, in a session that is removed afterwards',
    ['model', 'timeout', 'url', 'start', 'json', 'verbose'],
  )
    .argument('<agent>', 'id of the agent')
    .action(async (agent: string, _own: object, self: typeof agents) => {
      const { testAgent } = await import('../commands/test-agent.ts');
      done(await testAgent(context, screen, agent, self.optsWithGlobals<TestAgentOptions>()));
    });
  example(testing, ['agenthost agents test qwen', 'agenthost agents test --start demo']);
  example(install, ['agenthost agents install qwen', 'agenthost agents install qwen@latest codex']);
}

/** Adds `login`. */
export function addLoginCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const login = command(program, 'login', 'sign in to the service of an agent, or to a resource', [
    'config',
    'data',
    'url',
    'start',
    'verbose',
  ])
    .argument(
      '<agent|url>',
      'id of an agent with a sign-in of its own, or the URL of a resource that needs a token',
    )
    .option('--print', 'print the command or the page that signs in, and start nothing')
    .option('--device', 'of a resource: show a code to enter on another device')
    .option('--client-id <id>', 'of a resource: a client that is registered at its sign-in server')
    .option('--scope <scopes>', 'of a resource: rights to ask for, separated by spaces')
    .action(async (wanted: string, options: LoginOptions & LoginResourceOptions) => {
      if (URL.canParse(wanted)) {
        const { loginResource } = await import('../commands/login-resource.ts');
        return done(await loginResource(context, screen, wanted, options));
      }
      const { loginAgent } = await import('../commands/login.ts');
      return done(await loginAgent(context, screen, wanted, options));
    });
  example(login, [
    'agenthost login claude  runs the sign-in of Claude Code in this terminal',
    'agenthost login https://docs.example.org/mcp  a token for an MCP server',
  ]);
}
