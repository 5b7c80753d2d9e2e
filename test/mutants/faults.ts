/** A fault for a copy of the sources: `find` occurs once in the file and is replaced by `replace`. */
export interface Fault {
  readonly title: string;
  /** Path below the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Seed of the first run. Default 1. A rare fault begins near a seed that finds it, which saves time. */
  readonly firstSeed?: number;
}

const PATH = 'packages/host/src/sync/commit-path.ts';
const RETENTION = 'packages/host/src/features/chat/retain.ts';

/**
 * Faults that the simulator must find. Each is a small slip that passes the type check and lint, and breaks one guarantee under some
 * schedules only.
 */
export const FAULTS: readonly Fault[] = [
  {
    title: 'output is sent before its commit',
    file: PATH,
    find: '        if (tick.writes.length > 0) await this.#journal.commit(tick.writes);\n',
    replace: `        for (const item of tick.output.splice(0)) this.#guard(() => item.send());
        this.#flush();
        if (tick.writes.length > 0) await this.#journal.commit(tick.writes);\n`,
  },
  {
    title: 'assigned numbers are assigned again after a crash',
    file: 'packages/host/src/sync/sequencer.ts',
    find: 'await this.#journal.reserveSeq(upTo);',
    replace: 'await this.#journal.reserveSeq(this.#last);',
  },
  {
    title: 'a subscriber is added one event-loop iteration after its snapshot',
    file: 'packages/host/src/wire/requests/attach.ts',
    find: '        const subscription = subscribe(clients, connection, item, window);\n',
    replace: `        await new Promise<void>((resolve) => sync.path.afterTurn(resolve));
        const subscription = subscribe(clients, connection, item, window);\n`,
  },
  {
    title: 'a client is forgotten although its actions were processed',
    file: 'packages/host/src/wire/clients/clients.ts',
    find: '      if (!mayForget(record)) return;\n',
    replace: '',
    firstSeed: 31,
  },
  {
    title: 'a reducer reads the clock',
    file: 'packages/protocol/src/chat/reducer-turn.ts',
    find: 'new Date(Date.parse(startedAt) + duration);',
    replace:
      'new Date(Math.max(Date.parse(startedAt) + duration, performance.timeOrigin + performance.now()));',
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
    title: 'a turn without output stays open over a restart',
    file: 'packages/host/src/turns/recovery.ts',
    find: "if (channel?.is('chat') === true && channel.state.activeTurn !== undefined) {",
    replace:
      "if (channel?.is('chat') === true && channel.state.activeTurn !== undefined && channel.state.activeTurn.responseParts.length > 0) {",
    firstSeed: 71,
  },
  {
    title: 'changes of a failed commit stay in memory',
    file: PATH,
    find: 'for (const tick of ticks.toReversed()) for',
    replace: 'for (const tick of ticks.slice(1).toReversed()) for',
  },
  {
    title: 'a merged envelope for a slow client has the number of its first part',
    file: 'packages/host/src/wire/connection/shared-envelopes.ts',
    find: '{ ...second, action };',
    replace: '{ ...first, action };',
  },
  {
    title: 'a rejected action stays visible at its dispatcher',
    file: 'packages/client/src/mirror/pending-actions.ts',
    find: '    this.#bySeq.delete(entry.clientSeq);\n    entry.resolve(\n      envelope',
    replace:
      '    if (envelope.rejectionReason === undefined) this.#bySeq.delete(entry.clientSeq);\n    entry.resolve(\n      envelope',
  },
  {
    title: 'waiting appends to two texts are merged for a slow client',
    file: 'packages/host/src/wire/connection/shared-envelopes.ts',
    find: 'joinAppends(first, second);',
    replace: 'joinAppends({ ...first, partId: second.partId }, second);',
  },
  {
    title: 'unread appends to two texts are joined',
    file: 'packages/host/src/sync/text-append.ts',
    find: 'first.turnId === second.turnId && first.partId === second.partId;',
    replace: 'first.turnId === second.turnId;',
    firstSeed: 29,
  },
  {
    title: 'the connections of a revoked token stay open',
    file: 'packages/host/src/wire/hub.ts',
    find: 'if (connection.identity.tokenHash !== tokenHash) continue;',
    replace: 'if (connection.identity.tokenHash !== tokenHash || connection !== revoking) continue;',
  },
  {
    title: 'a client that was disconnected when old turns were dropped gets a replay',
    file: RETENTION,
    find: 'droppedSeq: sync.sequencer.last + 1 }',
    replace: 'droppedSeq: 0 }',
  },
  {
    title: 'windows do not receive the drop of old turns',
    file: RETENTION,
    find: '    tellWindows(tx, sync, chat, { keptFrom, oldest });\n',
    replace: "    if (oldest === '') tellWindows(tx, sync, chat, { keptFrom, oldest });\n",
  },
  {
    title: 'a snapshot from before a drop of old turns is sent after the drop',
    file: RETENTION,
    find: '    chat.historyVersion += 1;\n',
    replace: '',
  },
  {
    title: 'dropped turns stay on disk',
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
    title: 'a widened window is forgotten when its client reconnects',
    file: 'packages/host/src/sync/subscription.ts',
    find: 'const forget = subscription.keep?.();',
    replace: 'const forget = (): void => undefined;',
    firstSeed: 4551,
  },
  {
    title: 'a resumed turn is missing in windows without turns',
    file: 'packages/host/src/features/chat/truncate.ts',
    find: 'Math.max(viewed, leastShown);',
    replace: 'viewed;',
    firstSeed: 3221,
  },
  {
    title: 'an older version starts a resumed turn again without its first part',
    file: 'packages/protocol/src/dialects/0.8.0/resumed-turns.ts',
    find: '          ...keptParts(turn).map(',
    replace: '          ...keptParts(turn).slice(1).map(',
    firstSeed: 161,
  },
];
