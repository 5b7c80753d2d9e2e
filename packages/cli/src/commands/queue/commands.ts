import type { DispatchOutcome, MessageQueue } from '@agenthost/client';
import type { Command } from 'commander';
import type { OptionName } from '../../options.ts';
import { promptText } from '../../prompt-text.ts';
import { steerWaiting } from '../../steer-waiting.ts';
import type { CommandParts } from '../command-parts.ts';
import { changeQueue, messageAt, pendingId, type QueueOptions } from './queue.ts';

const ofQueues: readonly OptionName[] = ['chat', 'url', 'start', 'json', 'verbose'];

/** Adds `queue` and all below it. */
export function addQueueCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const queue = program
    .command('queue')
    .description('show and change what waits to be said in a session, or steer what runs');
  example(queue, [
    'agenthost queue add 4f2a "then the tests"    the next turn, or at once',
    'agenthost queue steer 4f2a "no docs"         into the turn that runs',
    'agenthost queue steer 4f2a 2                 with the second that waits',
    'agenthost queue order 4f2a 3 1               third, first, then the rest',
    'agenthost queue go 4f2a                      after a cancel: start the first',
  ]);
  const add = (
    name: string,
    description: string,
    args: readonly (readonly [name: string, description: string])[],
    change: (queue: MessageQueue, rest: readonly string[]) => Promise<DispatchOutcome | undefined>,
  ): void => {
    const made: Command = command(queue, name, description, ofQueues);
    made.argument('<session>', 'id, or the beginning of one');
    for (const [arg, about] of args) made.argument(arg, about);
    made.action(async (given: string, ...more: unknown[]) => {
      const rest = more
        .slice(0, args.length)
        .flat()
        .filter((each) => typeof each === 'string');
      done(
        await changeQueue({ context, screen }, given, made.opts<QueueOptions>(), (of) => change(of, rest)),
      );
    });
  };
  const text = ['[text...]', 'what to say; - or nothing reads it from input'] as const;
  const message = ['<message>', 'its place in the queue, its id, or the beginning of one'] as const;
  add('list', 'list what waits, one line each', [], () => Promise.resolve(undefined));
  add('add', 'queue a message', [text], async (of, words) => of.add(await promptText(words, context.stdin)));
  const steering = ['[text...]', `${text[1]}; a number alone is the message at that place`] as const;
  add('steer', 'say something to the agent in the middle of its turn', [steering], async (of, words) => {
    const [place = '', ...more] = words;
    if (more.length > 0 || !/^[1-9]\d{0,4}$/.test(place))
      return of.steer(await promptText(words, context.stdin));
    return steerWaiting(of, messageAt(of, place));
  });
  add('edit', 'change a message in its place', [message, text], async (of, [which = '', ...words]) => {
    const id = pendingId(of, which);
    return of.edit(id, await promptText(words, context.stdin));
  });
  add('rm', 'take a message back', [message], (of, [which = '']) => of.remove(pendingId(of, which)));
  add('order', 'put messages first, in this order', [['<message...>', message[1]]], (of, which) =>
    of.reorder(which.map((each) => pendingId(of, each))),
  );
  add('go', 'start the first message of a queue that waits', [], (of) => of.release());
}
