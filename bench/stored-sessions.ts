import { type JournalWrite, SqliteJournal } from '@agenthost/host';
import { type ChatState, type SessionState, SessionStatus, type Turn } from '@agenthost/protocol';

const AT = '2026-01-01T00:00:00.000Z';
const ROWS_A_COMMIT = 1_000;

/** A session on disk, as a host leaves it at its stop. */
export interface StoredChat {
  readonly session: string;
  readonly chat: string;
  readonly turnCount: number;
}

/** `count` sessions of three turns each. */
export const plainSessions = (count: number): StoredChat[] =>
  Array.from({ length: count }, (_, index) => ({
    session: `ahp-session:/${index}`,
    chat: `ahp-chat:/${index}`,
    turnCount: 3,
  }));

/** Fills a data folder with sessions of one chat each. */
export async function storeSessions(folder: string, chats: readonly StoredChat[]): Promise<void> {
  const journal = new SqliteJournal({ folder });
  await journal.open();
  let rows: JournalWrite[] = [];
  for (const each of chats) {
    for (const row of rowsOf(each)) {
      rows.push(row);
      if (rows.length < ROWS_A_COMMIT) continue;
      await journal.commit(rows);
      rows = [];
    }
  }
  await journal.commit(rows);
  await journal.close();
}

function* rowsOf({ session, chat, turnCount }: StoredChat): Iterable<JournalWrite> {
  const entry = { title: 'Bread', status: SessionStatus.Idle, workingDirectories: ['file:///tmp'] };
  const chatState: ChatState = {
    resource: chat,
    title: 'Bread',
    status: SessionStatus.Idle,
    modifiedAt: AT,
    turns: [],
  };
  const state: SessionState = {
    ...entry,
    provider: 'demo',
    lifecycle: 'ready',
    activeClients: [],
    chats: [{ resource: chat, title: 'Bread', status: SessionStatus.Idle, modifiedAt: AT }],
    defaultChat: chat,
  };
  const summary = { ...entry, resource: session, provider: 'demo', createdAt: AT, modifiedAt: AT };
  const local = (value: object): string => JSON.stringify(value);
  yield { op: 'session', uri: session, modifiedAt: AT, summary: JSON.stringify(summary) };
  yield {
    op: 'channel',
    uri: session,
    kind: 'session',
    seq: 0,
    state: JSON.stringify(state),
    local: local({ summary, titledBy: 'message' }),
  };
  yield {
    op: 'channel',
    uri: chat,
    kind: 'chat',
    session,
    seq: 0,
    state: JSON.stringify(chatState),
    local: local({ turnCount }),
  };
  for (let ordinal = 0; ordinal < turnCount; ordinal += 1) {
    const turn = turnOf(ordinal);
    yield { op: 'turn', chat, ordinal, id: turn.id, json: JSON.stringify(turn) };
  }
}

function turnOf(ordinal: number): Turn {
  return {
    id: `turn-${ordinal}`,
    message: { text: `Question ${ordinal}`, origin: { kind: 'user' } },
    responseParts: [
      {
        kind: 'reasoning',
        id: `r-${ordinal}`,
        content: 'First the question is read, then it is taken apart.',
      },
      {
        kind: 'markdown',
        id: `m-${ordinal}`,
        content: `Answer ${ordinal}. `.padEnd(1_000, 'and on it goes. '),
      },
    ],
    state: 'complete',
    usage: { inputTokens: 1_000, outputTokens: 250 },
  };
}
