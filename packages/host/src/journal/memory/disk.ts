import type { JournalWrite } from '../journal.ts';
import { checkSeq } from '../sequence-numbers.ts';
import { type MemoryContentOwner, MemoryTables } from './tables.ts';

/**
 * The committed batches of a memory journal. It outlives the journal as a file outlives a process: a test hands it to the next journal to
 * reopen it.
 */
export class MemoryDisk extends MemoryTables {
  /** Whether a journal has it open. */
  isLocked = false;
  /** Set by a test: the next start reports that the last envelopes may be missing. */
  hasLostTail = false;

  /** Applies a whole batch, or throws a `JournalError` and changes nothing. */
  apply(writes: readonly JournalWrite[]): void {
    checkBatch(this, writes);
    for (const write of writes) applyWrite(this, write);
  }
}

/** Throws for a batch that cannot be applied as a whole. */
function checkBatch(tables: MemoryTables, writes: readonly JournalWrite[]): void {
  let { lastSeq } = tables;
  for (const write of writes) {
    if (write.op !== 'envelope') continue;
    checkSeq(write.seq, lastSeq);
    lastSeq = write.seq;
  }
}

/** Applies one write of a batch that `checkBatch` let pass. */
function applyWrite(tables: MemoryTables, write: JournalWrite): void {
  switch (write.op) {
    case 'envelope': {
      const row = withoutOp(write);
      tables.envelopes.push(row);
      return;
    }
    case 'channel':
      tables.channels.set(write.uri, withoutOp(write));
      return;
    case 'local': {
      const row = tables.channels.get(write.uri);
      if (row !== undefined) tables.channels.set(write.uri, { ...row, local: write.local });
      return;
    }
    case 'dropChannel':
      tables.channels.delete(write.uri);
      tables.open.delete(write.uri);
      dropTurnsOf(tables, write.uri);
      return;
    case 'markOpen':
      tables.open.add(write.uri);
      return;
    case 'markClosed':
      tables.open.delete(write.uri);
      return;
    case 'turn': {
      const turns = tables.turns.get(write.chat) ?? new Map();
      tables.turns.set(
        write.chat,
        turns.set(write.ordinal, { key: ++tables.lastTurnKey, id: write.id, json: write.json }),
      );
      return;
    }
    case 'dropTurns': {
      const turns = tables.turns.get(write.chat);
      const dropped = new Set<string>();
      for (const [ordinal, { id }] of turns ?? []) {
        if (ordinal < write.from || ordinal >= (write.to ?? Number.POSITIVE_INFINITY)) continue;
        turns?.delete(ordinal);
        dropped.add(id);
      }
      if (write.keepsContents !== true)
        dropContents(tables, ({ chat, turnId = '' }) => chat === write.chat && dropped.has(turnId));
      return;
    }
    case 'copyTurns':
      copyTurns(tables, write);
      return;
    case 'moveChat':
      moveChat(tables, write);
      return;
    case 'dropContents':
      dropContents(tables, ({ chat, turnId }) => chat === write.chat && turnId === write.turnId);
      return;
    case 'session':
      tables.sessions.set(write.uri, withoutOp(write));
      return;
    case 'dropSession':
      tables.sessions.delete(write.uri);
      dropContents(tables, ({ session }) => session === write.uri);
      return;
    case 'client':
      tables.clients.set(write.id, withoutOp(write));
      return;
    case 'dropClient':
      tables.clients.delete(write.id);
      return;
    case 'token':
      tables.tokens.set(write.id, withoutOp(write));
      return;
    case 'dropToken': {
      const hash = tables.tokens.get(write.id)?.hash;
      tables.tokens.delete(write.id);
      for (const client of tables.clients.values()) {
        if (client.tokenHash === hash) tables.clients.set(client.id, { ...client, tokenHash: '' });
      }
      return;
    }
    case 'content': {
      const { id, contentType, data, op: _op, ...owner } = write;
      tables.contents.set(id, { id, contentType, data: data.slice(), owners: [owner] });
      return;
    }
    case 'copyContent': {
      const { from, id, op: _op, ...owner } = write;
      const content = tables.contents.get(from);
      if (content !== undefined) tables.contents.set(id, { ...content, id, owners: [owner] });
      return;
    }
    case 'process':
      tables.processes.set(write.pid, withoutOp(write));
      return;
    case 'dropProcess':
      tables.processes.delete(write.pid);
      return;
    case 'meta':
      tables.meta.set(write.key, write.value);
      return;
    default:
      write satisfies never;
  }
}

function copyTurns(
  tables: MemoryTables,
  { from, to, session, count }: Extract<JournalWrite, { op: 'copyTurns' }>,
): void {
  if (from === to) return;
  dropTurnsOf(tables, to);
  const copied = new Map([...(tables.turns.get(from) ?? [])].filter(([ordinal]) => ordinal < count));
  tables.turns.set(to, copied);
  const ids = new Set([...copied.values()].map(({ id }) => id));
  for (const content of tables.contents.values()) {
    const more = content.owners.flatMap(({ chat, turnId }) =>
      chat === from && turnId !== undefined && ids.has(turnId) ? [{ session, chat: to, turnId }] : [],
    );
    tables.contents.set(content.id, { ...content, owners: [...content.owners, ...more] });
  }
}

function moveChat(tables: MemoryTables, { chat, session }: Extract<JournalWrite, { op: 'moveChat' }>): void {
  const row = tables.channels.get(chat);
  if (row !== undefined) tables.channels.set(chat, { ...row, session });
  for (const content of tables.contents.values()) {
    const owners = content.owners.map((owner) => (owner.chat === chat ? { ...owner, session } : owner));
    tables.contents.set(content.id, { ...content, owners });
  }
}

function dropTurnsOf(tables: MemoryTables, chat: string): void {
  tables.turns.delete(chat);
  dropContents(tables, (owner) => owner.chat === chat);
}

function dropContents(tables: MemoryTables, isDropped: (owner: MemoryContentOwner) => boolean): void {
  for (const content of tables.contents.values()) {
    const owners = content.owners.filter((owner) => !isDropped(owner));
    if (owners.length === 0) tables.contents.delete(content.id);
    else tables.contents.set(content.id, { ...content, owners });
  }
}

function withoutOp<T extends { readonly op: string }>(write: T): Omit<T, 'op'> {
  const { op: _op, ...rest } = write;
  return rest;
}
