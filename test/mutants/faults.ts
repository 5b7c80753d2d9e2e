/** A fault to put into a copy of the sources: `find` stands once in the file, and gives way to `replace`. */
export interface Fault {
  readonly title: string;
  /** Path below the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const PATH = 'packages/host/src/sync/commit-path.ts';
const RETENTION = 'packages/host/src/features/chat/retain.ts';

/**
 * What a simulator of this product has to notice. Each is a small slip that types and lint would let pass, and that breaks one promise
 * under some schedules alone.
 */
export const FAULTS: readonly Fault[] = [
  {
    title: 'output leaves before its commit',
    file: PATH,
    find: '        if (tick.writes.length > 0) await this.#journal.commit(tick.writes);\n',
    replace: `        for (const item of tick.output.splice(0)) this.#guard(() => item.send());
        this.#flush();
        if (tick.writes.length > 0) await this.#journal.commit(tick.writes);\n`,
  },
  {
    title: 'numbers that were given out are given out again after a crash',
    file: 'packages/host/src/sync/sequencer.ts',
    find: 'await this.#journal.reserveSeq(upTo);',
    replace: 'await this.#journal.reserveSeq(this.#last);',
  },
  {
    title: 'a subscriber is added a turn of the event loop after its snapshot',
    file: 'packages/host/src/wire/requests/attach.ts',
    find: '        const subscription = subscribe(clients, connection, item, window);\n',
    replace: `        await new Promise<void>((resolve) => sync.path.afterTurn(resolve));
        const subscription = subscribe(clients, connection, item, window);\n`,
  },
  {
    title: 'a client is forgotten though actions of it were processed',
    file: 'packages/host/src/wire/clients/clients.ts',
    find: '      if (!mayForget(record)) return;\n',
    replace: '',
  },
  {
    title: 'a reducer reads the clock',
    file: 'packages/protocol/src/chat/reducer-status.ts',
    find: 'return new Date(now).toISOString();',
    replace: 'return new Date(Math.max(now, performance.timeOrigin + performance.now())).toISOString();',
  },
  {
    title: 'a pending action is not sent again after a reconnect',
    file: 'packages/client/src/mirror/dispatcher.ts',
    find: 'for (const entry of this.#pending.values()) this.#send(entry);',
    replace: 'for (const entry of this.#pending.values()) if (entry.sentOn === 0) this.#send(entry);',
  },
  {
    title: 'a dispatch that is sent again is applied again',
    file: 'packages/host/src/wire/requests/dispatch.ts',
    find: 'incoming.clientSeq <= client.lastClientSeq',
    replace: 'incoming.clientSeq < client.lastClientSeq',
  },
  {
    title: 'a replay begins one envelope too late',
    file: 'packages/host/src/wire/requests/replay.ts',
    find: 'sync.journal.readEnvelopes(uris, lastSeen, upTo, MAX_REPLAY_BYTES)',
    replace: 'sync.journal.readEnvelopes(uris, lastSeen + 1, upTo, MAX_REPLAY_BYTES)',
  },
  {
    title: 'a turn that had said nothing yet stays open over a restart',
    file: 'packages/host/src/turns/recovery.ts',
    find: "if (channel?.is('chat') === true && channel.state.activeTurn !== undefined) {",
    replace:
      "if (channel?.is('chat') === true && channel.state.activeTurn !== undefined && channel.state.activeTurn.responseParts.length > 0) {",
  },
  {
    title: 'what a failed commit changed in memory stays',
    file: PATH,
    find: 'for (const tick of ticks.toReversed()) for',
    replace: 'for (const tick of ticks.slice(1).toReversed()) for',
  },
  {
    title: 'what was merged for a slow client has the number of its first part',
    file: 'packages/host/src/wire/connection/shared-envelopes.ts',
    find: '{ ...second, action };',
    replace: '{ ...first, action };',
  },
  {
    title: 'a rejected action goes on showing at who dispatched it',
    file: 'packages/client/src/mirror/pending-actions.ts',
    find: '    this.#bySeq.delete(entry.clientSeq);\n    entry.resolve(\n      envelope',
    replace:
      '    if (envelope.rejectionReason === undefined) this.#bySeq.delete(entry.clientSeq);\n    entry.resolve(\n      envelope',
  },
  {
    title: 'what waits for a slow client is merged although it goes to two texts',
    file: 'packages/host/src/wire/connection/shared-envelopes.ts',
    find: 'joinAppends(first, second);',
    replace: 'joinAppends({ ...first, partId: second.partId }, second);',
  },
  {
    title: 'text that nobody has looked at yet is joined although it goes to two texts',
    file: 'packages/host/src/sync/text-append.ts',
    find: 'first.turnId === second.turnId && first.partId === second.partId;',
    replace: 'first.turnId === second.turnId;',
  },
  {
    title: 'the connections of a token that was revoked go on',
    file: 'packages/host/src/wire/hub.ts',
    find: 'if (connection.identity.tokenHash !== tokenHash) continue;',
    replace: 'if (connection.identity.tokenHash !== tokenHash || connection !== revoking) continue;',
  },
  {
    title: 'a client that was away when old turns were dropped goes on by replay',
    file: RETENTION,
    find: 'droppedSeq: sync.sequencer.last + 1 }',
    replace: 'droppedSeq: 0 }',
  },
  {
    title: 'windows are not told that old turns were dropped',
    file: RETENTION,
    find: '    tellWindows(tx, sync, chat, { keptFrom, oldest });\n',
    replace: "    if (oldest === '') tellWindows(tx, sync, chat, { keptFrom, oldest });\n",
  },
  {
    title: 'a snapshot from before old turns were dropped comes behind the word of it',
    file: RETENTION,
    find: '    chat.historyVersion += 1;\n',
    replace: '',
  },
  {
    title: 'old turns that were dropped stay on disk',
    file: RETENTION,
    find: "    tx.write({ op: 'dropTurns', chat: uri, from: 0, to: keptFrom });\n",
    replace: '',
  },
  {
    title: 'turns count as dropped after everything was truncated',
    file: 'packages/host/src/sync/archive.ts',
    find: 'kept === 0 ? { ...whole, turnCount: 0 }',
    replace: 'kept === 0 ? { ...hostData, turnCount: 0 }',
  },
  {
    title: 'a window that its client has widened is forgotten when it comes back',
    file: 'packages/host/src/sync/subscription.ts',
    find: 'const forget = subscription.keep?.();',
    replace: 'const forget = (): void => undefined;',
  },
];
