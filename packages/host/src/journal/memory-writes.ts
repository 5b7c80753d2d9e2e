import { checkSeq } from './envelope-order.ts';
import type { JournalWrite } from './journal.ts';
import type { MemoryContent, MemoryTables } from './memory-tables.ts';

/** Throws for a batch that cannot be applied as a whole. */
export function checkBatch(tables: MemoryTables, writes: readonly JournalWrite[]): void {
  let { lastSeq } = tables;
  for (const write of writes) {
    if (write.op !== 'envelope') continue;
    checkSeq(write.seq, lastSeq);
    lastSeq = write.seq;
  }
}

/** Applies one write of a batch that `checkBatch` let pass. */
export function applyWrite(tables: MemoryTables, write: JournalWrite): void {
  switch (write.op) {
    case 'envelope':
      tables.envelopes.push(withoutOp(write));
      return;
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
      tables.turns.delete(write.uri);
      tables.open.delete(write.uri);
      dropContents(tables, ({ chat }) => chat === write.uri);
      return;
    case 'markOpen':
      tables.open.add(write.uri);
      return;
    case 'markClosed':
      tables.open.delete(write.uri);
      return;
    case 'turn': {
      const turns = tables.turns.get(write.chat) ?? new Map();
      tables.turns.set(write.chat, turns.set(write.ordinal, { id: write.id, json: write.json }));
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
      dropContents(tables, ({ chat, turnId = '' }) => chat === write.chat && dropped.has(turnId));
      return;
    }
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
    case 'content':
      tables.contents.set(write.id, { ...withoutOp(write), data: write.data.slice() });
      return;
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

function dropContents(tables: MemoryTables, isDropped: (content: MemoryContent) => boolean): void {
  for (const content of tables.contents.values()) {
    if (isDropped(content)) tables.contents.delete(content.id);
  }
}

function withoutOp<T extends { readonly op: string }>(write: T): Omit<T, 'op'> {
  const { op: _op, ...rest } = write;
  return rest;
}
