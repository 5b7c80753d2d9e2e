import type { Command } from 'commander';
import type { QueueChange, QueueOptions } from '../commands/queue.ts';
import type { CommandParts } from './command-parts.ts';
import type { OptionName } from './options.ts';

const ofQueues: readonly OptionName[] = ['chat', 'url', 'start', 'json', 'verbose'];

/** Adds `queue` and all below it. */
export function addQueueCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const queue = program
    .command('queue')
    .description('show and change what waits to be said in a session, or steer what runs');
  example(queue, [
    'agenthost queue add 4f2a "then the tests"  the next turn, or at once',
    'agenthost queue steer 4f2a "no docs"  into the turn that runs',
    'agenthost queue steer 4f2a 2  with the second that waits',
    'agenthost queue order 4f2a 3 1  third, first, then the rest',
    'agenthost queue go 4f2a  after a cancel: start the first',
  ]);
  const add = (
    name: QueueChange['name'],
    description: string,
    args: readonly (readonly [name: string, description: string])[],
  ): void => {
    const made: Command = command(queue, name, description, ofQueues);
    made.argument('<session>', 'id, or the beginning of one');
    for (const [arg, about] of args) made.argument(arg, about);
    made.action(async (session: string, ...more: unknown[]) => {
      const words = more
        .slice(0, args.length)
        .flat()
        .filter((each) => typeof each === 'string');
      const { changeQueue } = await import('../commands/queue.ts');
      done(await changeQueue(context, screen, { name, session, words }, made.opts<QueueOptions>()));
    });
  };
  const text = ['[text...]', 'what to say; - or nothing reads it from input'] as const;
  const message = ['<message>', 'its place in the queue, its id, or the beginning of one'] as const;
  add('list', 'list what waits, one line each', []);
  add('add', 'queue a message', [text]);
  add('steer', 'say something to the agent in the middle of its turn', [
    ['[text...]', `${text[1]}; a number alone is the message at that place`],
  ]);
  add('edit', 'change a message in its place', [message, text]);
  add('rm', 'take a message back', [message]);
  add('order', 'put messages first, in this order', [['<message...>', message[1]]]);
  add('go', 'start the first message of a queue that waits', []);
}
