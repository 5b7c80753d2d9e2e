import type { Command } from 'commander';
import type { CommentChange, CommentOptions, CommentsOptions, SendOptions } from '../commands/comments.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

const SESSION = ['<session>', 'id, or the beginning of an id'] as const;
const COMMENT = ['<comment>', 'id of the comment, or the beginning of an id'] as const;

const CHANGES: Readonly<Record<CommentChange['name'], string>> = {
  resolve: 'mark comments as done',
  reopen: 'mark comments as not done',
  remove: 'remove comments with their answers',
};

/** Adds `comment`, all below it, and `comments`. */
export function addCommentCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const commenting: Command = command(
    program,
    'comment',
    'comment on a file of a session, for all clients',
    OPTIONS,
  )
    .argument(...SESSION)
    .argument('<file>', 'a file, as file, file:line or file:first-last')
    .argument('[text...]', 'the comment; - or nothing reads it from standard input')
    .action(async (session: string, file: string, words: string[]) => {
      const { addComment } = await import('../commands/comments.ts');
      const options = commenting.optsWithGlobals<CommentOptions>();
      done(await addComment(context, screen, { session, file, words }, options));
    });
  example(commenting, [
    'agenthost comment 4f2a src/main.ts:10-12 "why not a map?"',
    'agenthost comments 4f2a --open  lists the comments',
    'agenthost comment reply 4f2a 9b1c "it must keep its order"',
    'agenthost comment send 4f2a  gives the agent all open comments',
    'agenthost comment resolve 4f2a 9b1c',
  ]);
  for (const name of ['resolve', 'reopen', 'remove'] as const) {
    command(commenting, name, CHANGES[name], OPTIONS)
      .argument(...SESSION)
      .argument('<comment...>', 'ids of comments, or beginnings of ids')
      .action(async (session: string, ids: string[], _own: object, self: Command) => {
        const { changeComments } = await import('../commands/comments.ts');
        const options = self.optsWithGlobals<CommentOptions>();
        done(await changeComments(context, screen, { name, session, ids }, options));
      });
  }
  const replying: Command = command(commenting, 'reply', 'answer a comment', OPTIONS)
    .argument(...SESSION)
    .argument(...COMMENT)
    .argument('[text...]', 'the answer; - or nothing reads it from standard input')
    .action(async (session: string, id: string, words: string[]) => {
      const { replyToComment } = await import('../commands/comments.ts');
      const options = replying.optsWithGlobals<CommentOptions>();
      done(await replyToComment(context, screen, { session, id, words }, options));
    });
  const sending: Command = command(
    commenting,
    'send',
    'give the agent comments, by default all open ones; starts a turn, or waits for the end of the running one',
    ['withText', 'chat', ...OPTIONS],
  )
    .argument(...SESSION)
    .argument('[comment...]', 'ids of comments, or beginnings of ids')
    .action(async (session: string, ids: string[], _own: object, self: Command) => {
      const { sendComments } = await import('../commands/comments.ts');
      done(await sendComments(context, screen, { session, ids }, self.optsWithGlobals<SendOptions>()));
    });
  example(sending, [
    'agenthost comment send 4f2a',
    'agenthost comment send 4f2a 9b1c --text "only this one"',
  ]);

  const listing = command(program, 'comments', 'list the comments on the files of a session', [
    'openOnly',
    ...OPTIONS,
  ])
    .argument(...SESSION)
    .action(async (session: string, options: CommentsOptions) => {
      const { listComments } = await import('../commands/comments.ts');
      done(await listComments(context, screen, session, options));
    });
  example(listing, ['agenthost comments 4f2a', 'agenthost comments 4f2a --open --json']);
}
