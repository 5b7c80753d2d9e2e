import { type Json, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** A session or chat with its primary directory only. */
function primaryOnly(value: Json): Json {
  if (!Object.hasOwn(value, 'workingDirectories')) return value;
  const [primary] = listOf(value.workingDirectories);
  const rest = without(value, 'workingDirectories');
  return primary === undefined ? rest : { ...rest, workingDirectory: primary };
}

/** Values that are no URIs are kept in the list, so that the checks refuse them. */
function listed(value: Json): Json {
  if (!Object.hasOwn(value, 'workingDirectory')) return value;
  return { ...without(value, 'workingDirectory'), workingDirectories: [value.workingDirectory] };
}

/** `createChat` had an extension for the directory of the chat. */
function ofNewChat(params: Json): Json {
  if (!Object.hasOwn(params, 'x-workingDirectory')) return params;
  const { 'x-workingDirectory': directory, ...rest } = params;
  return { ...rest, workingDirectories: [directory] };
}

/** Sessions and chats had one working directory. A changed primary one shows in their catalogue entries. */
export const workingDirectories: Reshaping = {
  down: {
    shapes: {
      SessionState: primaryOnly,
      SessionSummary: primaryOnly,
      ChatState: primaryOnly,
      ChatSummary: primaryOnly,
    },
  },
  up: {
    shapes: {
      SessionState: listed,
      SessionSummary: listed,
      ChatState: listed,
      ChatSummary: listed,
      CreateSessionParams: listed,
      CreateChatParams: ofNewChat,
      ImportSessionParams: listed,
    },
  },
};

/** The actions on working directories. */
export const DIRECTORY_ACTIONS = [
  'session/workingDirectorySet',
  'session/workingDirectoryRemoved',
  'chat/workingDirectorySet',
  'chat/workingDirectoryRemoved',
] as const;
