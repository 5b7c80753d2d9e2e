import type { AddHostOptions } from '../commands/hosts.ts';
import type { LinkHostOptions } from '../commands/link-host.ts';
import type { OpenHostOptions } from '../commands/open-host.ts';
import type { CommandParts } from './command-builder.ts';

/** Adds `hosts` and what is below it. */
export function addHostsCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const hosts = program.command('hosts').description('give names to other hosts, and list all hosts');
  example(hosts, [
    'agenthost hosts list  this machine and the others',
    'agenthost hosts add build ssh://me@build.example  over ssh',
    'agenthost run --host build "fix the failing test"',
    'agenthost sessions  the sessions of all hosts',
  ]);
  const adding = command(hosts, 'add', 'give another host a name', [
    'hostTokenFile',
    'hostFingerprint',
    'sshCommand',
    'sshData',
    'replaceHost',
    'noCheck',
    'json',
    'verbose',
  ])
    .argument('<name>', 'name of the host, for --host')
    .argument('<url>', 'its address, or that of a gateway: http(s)://…, ws(s)://… or ssh://user@server')
    .action(async (name: string, url: string, options: AddHostOptions) => {
      const { addHost } = await import('../commands/hosts.ts');
      done(await addHost(context, screen, [name, url], options));
    });
  example(adding, [
    'agenthost hosts add build ssh://me@build.example',
    'agenthost hosts add lab https://lab.example:4711 --token-file token.txt',
    'echo "$TOKEN" | agenthost hosts add lab https://lab:4711 --token-file -',
    'agenthost hosts add build ssh://build --command "npx agenthost"',
    'agenthost hosts add fleet https://agents.example.org --token-file -  a gateway; its hosts are fleet/HOST',
  ]);
  const listing = command(hosts, 'list', 'list all hosts, with their running and waiting sessions', [
    'json',
    'verbose',
  ]).action(async (options: { json?: boolean }) => {
    const { listHosts } = await import('../commands/hosts.ts');
    done(await listHosts(context, screen, options));
  });
  example(listing, ['agenthost hosts list', 'agenthost hosts list --json | jq .state']);
  const opening = command(hosts, 'open', "print the address of a host's page; over ssh, forward its port", [
    'json',
    'verbose',
  ])
    .argument('<host>', 'name of a host')
    .action(async (name: string, options: OpenHostOptions) => {
      const { openHost } = await import('../commands/open-host.ts');
      done(await openHost(context, screen, name, options));
    });
  example(opening, ['agenthost hosts open build  forwards the port until Ctrl-C']);
  const removing = command(hosts, 'remove', 'remove hosts and their tokens from the list', [
    'json',
    'verbose',
  ])
    .alias('rm')
    .argument('<host...>', 'names of hosts')
    .action(async (names: string[], options: { json?: boolean }) => {
      const { removeHosts } = await import('../commands/hosts.ts');
      done(await removeHosts(context, screen, names, options));
    });
  example(removing, ['agenthost hosts remove build']);
  command(
    hosts,
    'link',
    'connect standard input and output to the host of this machine; run by clients with an ssh:// address',
    ['startAbsent', 'linkData', 'verbose'],
  ).action(async (options: LinkHostOptions) => {
    const { linkHost } = await import('../commands/link-host.ts');
    done(await linkHost(context, screen, options));
  });
}
