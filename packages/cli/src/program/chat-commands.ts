import type { Command } from 'commander';
import type { ChangeChatsOptions, ChatFlag, MoveChatOptions } from '../commands/change-chats.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

const MARKS: Readonly<Record<ChatFlag, string>> = {
  archive: 'archive chats; the default chat is archived with its session',
  unarchive: 'unarchive chats',
  read: 'mark chats as read',
  unread: 'mark chats as unread',
};

/** Adds the commands below `chat` that change chats. */
export function addChatCommands(
  chatting: Command,
  { context, screen, command, example, done }: CommandParts,
): void {
  const mark = (flag: ChatFlag): void => {
    const marking: Command = command(chatting, flag, MARKS[flag], OPTIONS)
      .argument('<session>', 'id, or the beginning of an id')
      .argument('<chat...>', 'ids of chats, or beginnings of ids')
      .action(async (session: string, chats: string[], _own: object, self: Command) => {
        const { markChats } = await import('../commands/change-chats.ts');
        const options = self.optsWithGlobals<ChangeChatsOptions>();
        done(await markChats(context, screen, { flag, session, chats }, options));
      });
    example(marking, [`agenthost chat ${flag} 4f2a 81c0`]);
  };
  mark('archive');
  mark('unarchive');
  mark('read');
  mark('unread');
  const resuming: Command = command(
    chatting,
    'resume',
    'continue the last turn of a chat after it failed; only if its agent can continue it',
    OPTIONS,
  )
    .argument('<session>', 'id, or the beginning of an id')
    .argument('[chat]', 'id of the chat, or the beginning of an id (default: the default chat)')
    .action(async (session: string, chat: string | undefined, _own: object, self: Command) => {
      const { resumeChat } = await import('../commands/change-chats.ts');
      done(await resumeChat(context, screen, [session, chat], self.optsWithGlobals<ChangeChatsOptions>()));
    });
  example(resuming, ['agenthost chat resume 4f2a', 'agenthost chat resume 4f2a 81c0']);
  const moving: Command = command(
    chatting,
    'move',
    'move a chat within its session, to another session or to a new one',
    ['toSession', 'ownSession', 'afterChat', ...OPTIONS],
  )
    .argument('<session>', 'session of the chat: id, or the beginning of an id')
    .argument('<chat>', 'id of the chat, or the beginning of an id')
    .action(async (session: string, chat: string, _own: object, self: Command) => {
      const { moveChat } = await import('../commands/change-chats.ts');
      done(await moveChat(context, screen, [session, chat], self.optsWithGlobals<MoveChatOptions>()));
    });
  example(moving, [
    'agenthost chat move 4f2a 81c0  to the front of its session',
    'agenthost chat move 4f2a 81c0 --after 90cc',
    'agenthost chat move 4f2a 81c0 --to 77aa',
    'agenthost chat move 4f2a 81c0 --new-session',
  ]);
}
