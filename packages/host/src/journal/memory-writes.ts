import { checkSeq } from './envelope-order.ts';
import type { JournalWrite } from './journal.ts';
import type { MemoryDisk } from './memory-disk.ts';

/** Throws for a batch that cannot be applied as a whole. */
export function checkBatch(disk: MemoryDisk, writes: readonly JournalWrite[]): void {
  let { lastSeq } = disk;
  for (const write of writes) {
    if (write.op !== 'envelope') continue;
    checkSeq(write.seq, lastSeq);
    lastSeq = write.seq;
  }
}

/** Applies one write of a batch that `checkBatch` let pass. */
export function applyWrite(disk: MemoryDisk, write: JournalWrite): void {
  switch (write.op) {
    case 'envelope':
      disk.envelopes.push(withoutOp(write));
      return;
    case 'channel':
      disk.channels.set(write.uri, withoutOp(write));
      return;
    case 'dropChannel':
      disk.channels.delete(write.uri);
      disk.turns.delete(write.uri);
      disk.open.delete(write.uri);
      return;
    case 'markOpen':
      disk.open.add(write.uri);
      return;
    case 'markClosed':
      disk.open.delete(write.uri);
      return;
    case 'turn': {
      const turns = disk.turns.get(write.chat) ?? new Map();
      disk.turns.set(write.chat, turns.set(write.ordinal, { id: write.id, json: write.json }));
      return;
    }
    case 'dropTurns': {
      const turns = disk.turns.get(write.chat);
      for (const ordinal of turns?.keys() ?? []) {
        if (ordinal >= write.from && ordinal < (write.to ?? Number.POSITIVE_INFINITY)) turns?.delete(ordinal);
      }
      return;
    }
    case 'session':
      disk.sessions.set(write.uri, withoutOp(write));
      return;
    case 'dropSession':
      disk.sessions.delete(write.uri);
      for (const content of disk.contents.values()) {
        if (content.session === write.uri) disk.contents.delete(content.id);
      }
      return;
    case 'client':
      disk.clients.set(write.id, withoutOp(write));
      return;
    case 'dropClient':
      disk.clients.delete(write.id);
      return;
    case 'content':
      disk.contents.set(write.id, { ...withoutOp(write), data: write.data.slice() });
      return;
    case 'process':
      disk.processes.set(write.pid, withoutOp(write));
      return;
    case 'dropProcess':
      disk.processes.delete(write.pid);
      return;
    case 'meta':
      disk.meta.set(write.key, write.value);
      return;
    default:
      write satisfies never;
  }
}

function withoutOp<T extends { readonly op: string }>(write: T): Omit<T, 'op'> {
  const { op: _op, ...rest } = write;
  return rest;
}
