import type { McpOptions } from '../commands/mcp.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];
const SESSION = ['<session>', 'id, or the beginning of an id'] as const;
const SERVER = ['<server>', 'name of a server, as `mcp list` shows it'] as const;

/** Adds `mcp` and what is below it. */
export function addMcpCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const mcp = command(program, 'mcp', 'list and control the MCP servers of a session', []);
  example(mcp, [
    'agenthost mcp list 4f2a',
    'agenthost mcp restart 4f2a docs',
    'agenthost mcp allow 4f2a files  let a server of the project run',
  ]);
  command(mcp, 'list', 'list the MCP servers of a session, with their states', OPTIONS)
    .argument(...SESSION)
    .action(async (session: string, _own: object, self: typeof mcp) => {
      const { listMcpServers } = await import('../commands/mcp.ts');
      done(await listMcpServers(context, screen, session, self.optsWithGlobals<McpOptions>()));
    });
  command(mcp, 'tools', 'list the tools of one server, or of all', OPTIONS)
    .argument(...SESSION)
    .argument('[server]', SERVER[1])
    .action(async (session: string, server: string | undefined, _own: object, self: typeof mcp) => {
      const { listMcpTools } = await import('../commands/mcp.ts');
      done(await listMcpTools(context, screen, [session, server], self.optsWithGlobals<McpOptions>()));
    });
  const controls = [
    ['start', 'start a server, and wait until it is ready or has failed'],
    ['stop', 'stop a server until it is started again'],
    ['restart', 'stop a server and start it again'],
  ] as const;
  for (const [does, text] of controls)
    command(mcp, does, text, OPTIONS)
      .argument(...SESSION)
      .argument(...SERVER)
      .action(async (given: string, name: string, _own: object, self: typeof mcp) => {
        const { controlMcpServer } = await import('../commands/mcp.ts');
        const options = self.optsWithGlobals<McpOptions>();
        done(await controlMcpServer(context, screen, { given, name, does }, options));
      });
  command(mcp, 'log', 'show the last lines of the log of a server', OPTIONS)
    .argument(...SESSION)
    .argument(...SERVER)
    .action(async (given: string, name: string, _own: object, self: typeof mcp) => {
      const { showMcpLog } = await import('../commands/mcp.ts');
      done(await showMcpLog(context, screen, { given, name }, self.optsWithGlobals<McpOptions>()));
    });
  command(mcp, 'login', 'sign in to a server that needs a token, in a browser on this machine', OPTIONS)
    .argument(...SESSION)
    .argument(...SERVER)
    .action(async (given: string, name: string, _own: object, self: typeof mcp) => {
      const { signInToMcpServer } = await import('../commands/mcp-login.ts');
      done(await signInToMcpServer(context, screen, { given, name }, self.optsWithGlobals<McpOptions>()));
    });
  const decisions = [
    ['allow', 'let a server of the project or of a plugin run, while its entry stays the same', 'allowed'],
    ['refuse', 'never run a server of the project or of a plugin, while its entry stays the same', 'refused'],
    ['forget', 'ask about a server of the project or of a plugin again', undefined],
  ] as const;
  for (const [name, text, decision] of decisions)
    command(mcp, name, text, OPTIONS)
      .argument(...SESSION)
      .argument(...SERVER)
      .action(async (given: string, server: string, _own: object, self: typeof mcp) => {
        const { decideMcpServer } = await import('../commands/mcp.ts');
        const options = self.optsWithGlobals<McpOptions>();
        done(await decideMcpServer(context, screen, { given, name: server, decision }, options));
      });
}
