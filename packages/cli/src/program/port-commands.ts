import type { PortsOptions } from '../commands/ports.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

/** Adds `ports` and `ports open`. */
export function addPortCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const ports = command(program, 'ports', 'list the ports that programs of sessions listen on', OPTIONS)
    .argument('[session]', 'id, or the beginning of an id: only its ports')
    .action(async (session: string | undefined, options: PortsOptions) => {
      const { listPorts } = await import('../commands/ports.ts');
      done(await listPorts(context, screen, session, options));
    });
  example(ports, [
    'agenthost ports  the ports of all sessions',
    'agenthost ports open 5173  prints an address that opens the port in a browser',
    'agenthost ports open 4f2a 5173  of one session',
  ]);
  command(ports, 'open', 'print an address that opens a port through the host, in one browser', OPTIONS)
    .argument('<port...>', 'a port, or a session and a port')
    .action(async (given: string[], _own: object, self: typeof ports) => {
      const { openPort } = await import('../commands/ports.ts');
      done(await openPort(context, screen, given, self.optsWithGlobals<PortsOptions>()));
    });
}
