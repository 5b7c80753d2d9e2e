import type { JournalWrite } from '@agenthost/host';
import type { ActionEnvelope } from '@agenthost/protocol';
import { isPrivate } from './envelopes.ts';
import type { FaultLog } from './violation.ts';

/** Largest number of envelopes that an action becomes for an older version. */
const MOST_PARTS = 1_000;

/**
 * Every durable envelope of all hosts of a run, including envelopes that left the journal's window. Checks each
 * envelope when it is committed.
 */
export class Archive {
  readonly #faults: FaultLog;
  readonly #json = new Map<number, string>();
  /** Numbers of the envelopes that answer a dispatch, by client, epoch and `clientSeq`. */
  readonly #byDispatch = new Map<string, number[]>();
  /** Highest applied `clientSeq`, by client and epoch. */
  readonly #lastApplied = new Map<string, number>();
  /** All final versions of each turn, by its id. */
  readonly #turns = new Map<string, string[]>();
  /** Shell commands that have ended. */
  readonly #finished = new Set<string>();
  /** Clients whose token was revoked. */
  readonly #barred = new Set<string>();
  #lastSeq = 0;
  /** Highest number of a sent snapshot. */
  #reflectedSeq = 0;

  constructor(faults: FaultLog) {
    this.#faults = faults;
  }

  /** Records a durable commit and checks its envelopes. */
  committed(writes: readonly JournalWrite[]): void {
    for (const write of writes) {
      if (write.op === 'turn') this.#turns.set(write.id, [...this.turnsOf(write.id), write.json]);
      if (write.op !== 'envelope') continue;
      const { seq, json, origin } = write;
      if (seq <= this.#lastSeq)
        this.#faults.note('numbers', `${seq} was journaled after ${this.#lastSeq}: ${json}`);
      this.#lastSeq = Math.max(this.#lastSeq, seq);
      if (seq <= this.#reflectedSeq)
        this.#faults.note(
          'durability',
          `a snapshot of ${this.#reflectedSeq} was sent before ${seq} was durable: ${json}`,
        );
      this.#json.set(seq, json);
      if (json.includes('rejectionReason') || json.includes('"terminal/input"')) this.#checkPublic(json);
      if (json.includes('"terminal/commandFinished"')) this.#noteFinished(json);
      if (origin === undefined) continue;
      this.#noteDispatch(origin, seq);
      if (this.#barred.has(origin.clientId))
        this.#faults.note(
          'access',
          `${origin.clientId} has no token any more, and this took effect: ${json}`,
        );
    }
  }

  /** The durable envelope with this number. */
  get(seq: number): ActionEnvelope | undefined {
    const json = this.#json.get(seq);
    return json === undefined ? undefined : JSON.parse(json);
  }

  /** The first durable envelope above this number, if it is near. */
  nextAfter(seq: number): ActionEnvelope | undefined {
    for (let next = seq + 1; next <= Math.min(seq + MOST_PARTS, this.#lastSeq); next += 1)
      if (this.#json.has(next)) return this.get(next);
    return undefined;
  }

  /** Records that a snapshot with this number was sent. Everything that it reflects must be durable. */
  reflected(fromSeq: number): void {
    this.#reflectedSeq = Math.max(this.#reflectedSeq, fromSeq);
  }

  /** After this call no action of the client may take effect. */
  bar(clientId: string): void {
    this.#barred.add(clientId);
  }

  /** All durable versions of the turn with this id, as JSON. */
  turnsOf(turnId: string): readonly string[] {
    return this.#turns.get(turnId) ?? [];
  }

  /** How often a dispatch took effect. */
  timesApplied(clientId: string, epoch: string, clientSeq: number): number {
    return this.#byDispatch.get(`${clientId} ${epoch} ${clientSeq}`)?.length ?? 0;
  }

  #noteFinished(json: string): void {
    const { action }: ActionEnvelope = JSON.parse(json);
    if (action.type !== 'terminal/commandFinished') return;
    if (this.#finished.has(action.commandId)) this.#faults.note('once', `a command ended twice: ${json}`);
    this.#finished.add(action.commandId);
  }

  #checkPublic(json: string): void {
    const envelope: ActionEnvelope = JSON.parse(json);
    if (isPrivate(envelope)) this.#faults.note('privacy', `private, and journaled: ${json}`);
  }

  #noteDispatch(
    { clientId, epoch, clientSeq }: { clientId: string; epoch: string; clientSeq: number },
    seq: number,
  ): void {
    const life = `${clientId} ${epoch}`;
    const key = `${life} ${clientSeq}`;
    const before = this.#byDispatch.get(key);
    if (before !== undefined)
      this.#faults.note('once', `dispatch ${key} was applied as ${before.join()} and as ${seq}`);
    this.#byDispatch.set(key, [...(before ?? []), seq]);
    const last = this.#lastApplied.get(life) ?? 0;
    if (clientSeq < last) this.#faults.note('once', `dispatch ${key} was applied behind ${last}`);
    this.#lastApplied.set(life, Math.max(last, clientSeq));
  }
}
