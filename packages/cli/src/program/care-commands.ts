import { Argument } from 'commander';
import type { BackupOptions, RestoreOptions } from '../commands/backup.ts';
import type { CompletionKind } from '../commands/completion.ts';
import type { DoctorOptions } from '../commands/doctor.ts';
import { commandLine } from '../process/own-command.ts';
import type { CommandParts } from './command-builder.ts';

/** Adds the commands that take care of a host: `backup`, `backup restore` and `doctor`. */
export function addCareCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const backing = command(program, 'backup', 'write a backup of a running or stopped host', [
    'force',
    'data',
    'url',
    'json',
    'verbose',
  ])
    .argument('<file>', 'the new file, outside of the data folder; a gzip-compressed tar')
    .action(async (file: string, options: BackupOptions) => {
      const { backup } = await import('../commands/backup.ts');
      done(await backup(context, screen, file, options));
    });
  example(backing, [
    'agenthost backup ~/backups/agenthost-$(date +%F).tar.gz',
    'agenthost backup b.tar.gz --data /srv/agenthost',
  ]);
  backing.addHelpText('after', '\nA host on another machine writes the file there, at the same path.');
  const restoring = command(backing, 'restore', 'put a backup into a data folder that no host uses', [
    'data',
    'json',
    'verbose',
  ])
    .argument('<file>', `a file that \`${commandLine('backup')}\` wrote`)
    .action(async (file: string, _own: object, self: typeof backing) => {
      const { restore } = await import('../commands/backup.ts');
      done(await restore(context, screen, file, self.optsWithGlobals<RestoreOptions>()));
    });
  example(restoring, [
    'agenthost backup restore b.tar.gz',
    'agenthost backup restore b.tar.gz --data /tmp/look  then: agenthost serve --data /tmp/look --port 0',
  ]);
  restoring.addHelpText(
    'after',
    '\nThe data of the folder is moved into a folder before-restore-… in it,\nand is never deleted.',
  );
  const examining = command(program, 'doctor', 'check this machine and its host, and suggest fixes', [
    'data',
    'config',
    'checkedPort',
    'listenOn',
    'url',
    'json',
    'verbose',
  ]).action(async (options: DoctorOptions) => {
    const { doctor } = await import('../commands/doctor.ts');
    done(await doctor(context, screen, options));
  });
  example(examining, [
    'agenthost doctor',
    'agenthost doctor --json',
    'agenthost doctor --data /srv/agenthost',
    'agenthost doctor --host build',
  ]);
  examining.addHelpText(
    'after',
    '\nEach line is ok, a warning or a fault. The exit code is 1 if there is a fault.',
  );
}

/** Adds `completion`. */
export function addCompletionCommand({
  context,
  screen,
  program,
  command,
  example,
  done,
}: CommandParts): void {
  const completing = command(
    program,
    'completion',
    'print a script that completes command lines in a shell',
    ['verbose'],
  )
    .addArgument(
      new Argument('<shell>', 'bash, zsh or fish; `words` is for their scripts').choices([
        'bash',
        'zsh',
        'fish',
        'words',
      ]),
    )
    .argument('[word...]', 'of words: the command line behind the program, up to the cursor')
    .action(async (kind: CompletionKind, words: string[]) => {
      const { completion } = await import('../commands/completion.ts');
      done(await completion(context, screen, program, { kind, words }));
    });
  example(completing, [
    'source <(agenthost completion bash)  in ~/.bashrc',
    'source <(agenthost completion zsh)  in ~/.zshrc',
    'agenthost completion fish > ~/.config/fish/completions/agenthost.fish',
  ]);
}
