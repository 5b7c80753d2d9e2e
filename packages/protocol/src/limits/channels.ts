import type { CountLimit } from './table.ts';

const KI = 1_024;
const MI = 1_024 * KI;

/** Limits of a chat, a session and a host as a whole. */
export const CHANNEL_LIMITS = {
  turnLength: { max: 16 * MI, what: 'The output of an agent in one turn, as JSON' },
  turnParts: { max: 50_000, what: 'Parts of one turn: texts, tool calls, notices, questions' },
  queuedMessages: { max: 100, what: 'Messages in the queue of a chat' },
  queuedLength: { max: 2 * MI, what: 'All messages in the queue of a chat' },
  chatsLength: { max: 4 * MI, what: 'The entries of all chats of a session' },
  listedChatsLength: {
    max: 16 * KI,
    what: 'The entries of all chats of a session, for the session’s own entry to list them',
  },
  answersLength: { max: MI, what: 'The answers to all open input requests of a chat' },
  activeClientsLength: { max: 4 * MI, what: 'The active clients of a session with their tools' },
  toolsLength: { max: 256 * KI, what: 'The tools of one client, as JSON' },
  instructions: { max: 32 * KI, what: 'The instructions of a session' },
  metadataEntries: { max: 32, what: 'Entries in the metadata of a session' },
  metadataKey: { max: 64, what: 'A key in the metadata of a session' },
  metadataValue: { max: 512, what: 'A value in the metadata of a session' },
  sharesOfPerson: { max: 1_000, what: 'Sessions in which one person has a role' },
  annotations: { max: 2_000, what: 'Annotations of a session' },
  annotationsLength: { max: 4 * MI, what: 'All annotations of a session, with the lines that they quote' },
  configLength: { max: 256 * KI, what: 'The configuration of a session or of the host' },
} as const satisfies Record<string, CountLimit>;

/**
 * Longest embedded attachment in base64 characters. A longer one is stored as host content; state, envelopes
 * and snapshots carry the reference.
 */
export const INLINE_ATTACHMENT: CountLimit = {
  max: 16 * KI,
  what: 'An embedded attachment that stays within its message',
};

/** Size of an answer to `listSessions`, in characters of JSON. */
export const LIST_ANSWER = {
  full: {
    max: 2 * MI,
    what: 'Complete entries; later entries have no metadata, activity and chats, and only their first working directory',
  },
  all: { max: 4 * MI, what: 'All entries; the cursor of the answer leads to later entries' },
} as const satisfies Record<string, CountLimit>;
