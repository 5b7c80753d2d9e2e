import type {
  OutcomeKey,
  StoredClient,
  StoredContent,
  StoredEnvelope,
  StoredProcess,
  StoredSession,
  StoredToken,
} from '../rows.ts';
import type { LostRange } from '../sequence-numbers.ts';

/** An envelope with the dispatch that it answers. */
export interface MemoryEnvelope extends StoredEnvelope {
  readonly origin?: OutcomeKey;
}

/** A channel's snapshot row. */
export interface MemoryChannel {
  readonly uri: string;
  readonly kind: string;
  readonly session?: string;
  readonly seq: number;
  readonly state: string;
  readonly local: string;
}

/** A turn of a chat, by its ordinal. Copies of chats have the same object. */
export interface MemoryTurn {
  /** Ascending in order of writing. */
  readonly key: number;
  readonly id: string;
  readonly json: string;
}

/** The turn or session that a content belongs to. */
export interface MemoryContentOwner {
  readonly session: string;
  readonly chat?: string;
  readonly turnId?: string;
}

/** A content with its owners. It is dropped with the last of them. */
export interface MemoryContent extends StoredContent {
  readonly owners: readonly MemoryContentOwner[];
}

/** The rows of a memory journal. */
export class MemoryTables {
  /** Ascending by `seq`. */
  envelopes: MemoryEnvelope[] = [];
  /** In order of creation. */
  readonly channels = new Map<string, MemoryChannel>();
  readonly open = new Set<string>();
  /** By chat, then ordinal. */
  readonly turns = new Map<string, Map<number, MemoryTurn>>();
  readonly sessions = new Map<string, StoredSession>();
  readonly clients = new Map<string, StoredClient>();
  readonly tokens = new Map<string, StoredToken>();
  readonly contents = new Map<string, MemoryContent>();
  readonly processes = new Map<number, StoredProcess>();
  readonly meta = new Map<string, string>();
  lastTurnKey = 0;
  reservedSeq = 0;
  trimmedSeq = 0;
  /** Time stamp of the newest envelope that was trimmed. */
  trimmedTime = 0;
  lost: LostRange[] = [];

  /** Time stamp of the newest envelope that was ever journaled. */
  get lastTime(): number {
    return this.envelopes.at(-1)?.time ?? this.trimmedTime;
  }

  /** Highest sequence number that was ever journaled. */
  get lastSeq(): number {
    return Math.max(this.trimmedSeq, this.envelopes.at(-1)?.seq ?? 0);
  }
}
