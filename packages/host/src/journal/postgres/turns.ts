import type { JournalWrite } from '../journal.ts';
import { textOf } from '../search/text.ts';
import { clip, END, type Range, type Span, subtract } from '../spans.ts';
import { number, optionalText, type Statements, type Value } from './connection.ts';
import { lexemesOf } from './lexemes.ts';
import { spansOf, toSpan } from './spans.ts';
import { keyOf } from './stored-text.ts';

/** Condition on `contents`: the turn has no row on the content's line. */
const LOOSE = `NOT EXISTS (SELECT 1 FROM agenthost.turns
  WHERE turns.cell = contents.cell AND turns.chat = contents.chat AND turns.id = contents.turn)`;

/** Separates a chat's key from a number in the names of its further lines. Keys contain it only at their beginning. */
const MORE = ' ';
/** Size of the cache of chats without spans. */
const KNOWN_PLAIN_LIMIT = 10_000;
/** Contents are stored in pieces of this size, so that no message of the protocol is large. */
const CHUNK_BYTES = 512 * 1024;

type Write<Op extends JournalWrite['op']> = Extract<JournalWrite, { op: Op }>;

/** A range of turns to drop, with or without their contents. */
type Dropped = Range & { readonly keepsContents: boolean };

/** Sends a statement without waiting for it. */
type Send = (sql: string, ...values: readonly Value[]) => void;

/**
 * Writes turns and their contents, with the same lines and spans as `SqliteTurnWriter`. The turns of a chat without shared turns are
 * written without a query. All other methods wait for the rows that they depend on.
 */
export class PostgresTurnWriter {
  readonly #statements: Statements;
  readonly #send: Send;
  /** Chats without spans, by key. Only this host writes the cell. */
  readonly #plain: Set<string>;

  constructor(statements: Statements, send: Send, plain: Set<string>) {
    this.#statements = statements;
    this.#send = send;
    this.#plain = plain;
  }

  async turn(write: Write<'turn'>): Promise<void> {
    const line = await this.#lineFor(keyOf(write.chat), write);
    const { message, response } = textOf(write.json);
    this.#send(
      `INSERT INTO agenthost.turns (cell, chat, ordinal, id, bytes, json, words)
       VALUES ($1, $2, $3, $4, $5, $6, array_to_tsvector($7::text[]))
       ON CONFLICT (cell, chat, ordinal) DO UPDATE
         SET id = excluded.id, bytes = excluded.bytes, json = excluded.json, words = excluded.words`,
      line,
      write.ordinal,
      write.id,
      Buffer.byteLength(write.json),
      write.json,
      lexemesOf(this.#statements.cell, [message, response]),
    );
  }

  dropTurns({ chat, from: start, to: stop = END, keepsContents }: Write<'dropTurns'>): Promise<void> {
    return this.#drop(keyOf(chat), { start, stop, keepsContents: keepsContents === true });
  }

  /** Deletes all turns of a chat, their contents and those of its active turn. */
  async dropAll(uri: string): Promise<void> {
    const chat = keyOf(uri);
    const lines = await this.#ownLines(chat);
    await this.#drop(chat, { start: 0, stop: END, keepsContents: false });
    for (const line of lines) this.#dropLoose(line);
    if (this.#plain.has(chat)) return;
    // A mark stays while other chats show rows under this key: new turns must not be written there.
    this.#send(
      'DELETE FROM agenthost.spans WHERE cell = $1 AND chat = $2 AND (start < stop OR line <> chat)',
      chat,
    );
    for (const line of lines) await this.#forgetMarks(line);
  }

  /** Deletes the contents of a turn without a row. */
  async dropContents(chat: string, turnId: string): Promise<void> {
    for (const line of await this.#ownLines(keyOf(chat))) this.#dropLoose(line, turnId);
  }

  async copy(write: Write<'copyTurns'>): Promise<void> {
    const [from, to, session] = [keyOf(write.from), keyOf(write.to), keyOf(write.session)];
    if (from === to) return;
    await this.dropAll(write.to);
    const whole = { start: 0, stop: END, line: from };
    const spans = await this.#spans(from);
    const source = spans ?? [whole];
    // Later turns of the source are not part of the copy.
    const copied = clip(source, { start: 0, stop: Math.min(write.count, await this.#end(source)) });
    if (copied.length === 0) return;
    if (spans === undefined) this.#insert(from, whole, await this.#sessionOf(from));
    for (const span of copied) this.#insert(to, span, session, await this.#homeOf(span.line));
    const start = copied.at(-1)?.stop ?? 0;
    this.#insert(to, { start, stop: END, line: await this.#freeLine(to) }, session);
  }

  /** Copies of the chat share its lines, so the contents there name its new session for them too. */
  async move(write: Write<'moveChat'>): Promise<void> {
    const [chat, session] = [keyOf(write.chat), keyOf(write.session)];
    this.#send('UPDATE agenthost.spans SET session = $3 WHERE cell = $1 AND chat = $2', chat, session);
    for (const line of await this.#ownLines(chat)) {
      this.#send('UPDATE agenthost.contents SET session = $3 WHERE cell = $1 AND chat = $2', line, session);
      this.#send('UPDATE agenthost.spans SET home = $3 WHERE cell = $1 AND line = $2', line, session);
    }
  }

  async content(write: Write<'content'>): Promise<void> {
    const line = write.chat === undefined ? null : await this.#lineOfTurn(keyOf(write.chat), write.turnId);
    this.#send('DELETE FROM agenthost.contents WHERE cell = $1 AND id = $2', write.id);
    this.#send(
      `INSERT INTO agenthost.contents (cell, id, session, chat, turn, content_type, bytes)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      write.id,
      keyOf(write.session),
      line,
      write.turnId ?? null,
      write.contentType,
      write.data.byteLength,
    );
    for (let part = 0; part * CHUNK_BYTES < write.data.byteLength; part += 1) {
      this.#send(
        'INSERT INTO agenthost.content_chunks (cell, id, part, data) VALUES ($1, $2, $3, $4)',
        write.id,
        part,
        write.data.subarray(part * CHUNK_BYTES, (part + 1) * CHUNK_BYTES),
      );
    }
  }

  async copyContent(write: Write<'copyContent'>): Promise<void> {
    const line = await this.#lineOfTurn(keyOf(write.chat), write.turnId);
    if (write.from === write.id) {
      this.#send(
        'UPDATE agenthost.contents SET session = $3, chat = $4, turn = $5 WHERE cell = $1 AND id = $2',
        write.id,
        keyOf(write.session),
        line,
        write.turnId,
      );
      return;
    }
    this.#send(
      `DELETE FROM agenthost.contents WHERE cell = $1 AND id = $2
         AND EXISTS (SELECT 1 FROM agenthost.contents AS source WHERE source.cell = $1 AND source.id = $3)`,
      write.id,
      write.from,
    );
    this.#send(
      `INSERT INTO agenthost.contents (cell, id, session, chat, turn, content_type, bytes)
       SELECT cell, $2, $3, $4, $5, content_type, bytes FROM agenthost.contents WHERE cell = $1 AND id = $6`,
      write.id,
      keyOf(write.session),
      line,
      write.turnId,
      write.from,
    );
    this.#send(
      `INSERT INTO agenthost.content_chunks (cell, id, part, data)
       SELECT cell, $2, part, data FROM agenthost.content_chunks WHERE cell = $1 AND id = $3`,
      write.id,
      write.from,
    );
  }

  dropSession(session: string): void {
    this.#send(
      `DELETE FROM agenthost.contents WHERE cell = $1 AND session = $2 AND NOT EXISTS (
         SELECT 1 FROM agenthost.turns JOIN agenthost.spans
           ON spans.cell = turns.cell AND line = turns.chat AND start <= ordinal AND stop > ordinal
         WHERE turns.cell = $1 AND turns.chat = contents.chat AND turns.id = contents.turn
           AND spans.session <> contents.session)`,
      keyOf(session),
    );
  }

  async #spans(chat: string): Promise<Span[] | undefined> {
    if (this.#plain.has(chat)) return undefined;
    const spans = await spansOf(this.#statements, chat);
    if (spans !== undefined) return spans;
    if (this.#plain.size >= KNOWN_PLAIN_LIMIT) this.#plain.clear();
    this.#plain.add(chat);
    return undefined;
  }

  async #drop(chat: string, range: Dropped): Promise<void> {
    const spans = await this.#spans(chat);
    if (spans === undefined) return this.#dropRows({ line: chat, ...range });
    const left: Span[] = [];
    for (const span of spans) left.push(...(await this.#dropOf(chat, span, range)));
    await this.#replace(chat, spans, left);
  }

  /** Drops the turns of a span within a range, and returns the rest of the span. */
  async #dropOf(chat: string, span: Span, range: Dropped): Promise<Span[]> {
    const [dropped] = clip([span], range);
    if (dropped === undefined) return [span];
    const rows = await this.#statements.all(
      'SELECT start, stop, line FROM agenthost.spans WHERE cell = $1 AND line = $2 AND chat <> $3',
      span.line,
      chat,
    );
    const others = rows.map(toSpan);
    const { keepsContents } = range;
    for (const free of subtract(dropped, others)) this.#dropRows({ ...free, line: span.line, keepsContents });
    // A truncated chat continues on its line, unless turns of other chats follow there.
    const goesOn = dropped.stop === END && others.every(({ stop }) => stop <= dropped.start);
    if (goesOn && dropped.start > span.start) return [span];
    return subtract(span, [dropped]).map((piece) => ({ ...piece, line: span.line }));
  }

  async #replace(chat: string, before: readonly Span[], after: readonly Span[]): Promise<void> {
    const row = await this.#statements.get(
      'SELECT session FROM agenthost.spans WHERE cell = $1 AND chat = $2 LIMIT 1',
      chat,
    );
    const session = (row && optionalText(row, 'session')) ?? null;
    const homes = new Map<string, string | null>();
    for (const { line } of before) homes.set(line, await this.#homeOf(line));
    this.#send('DELETE FROM agenthost.spans WHERE cell = $1 AND chat = $2', chat);
    for (const span of after) this.#insert(chat, span, session, homes.get(span.line) ?? session);
    const isKnown = after.some(({ line }) => line === chat);
    if (!isKnown && (await this.#isShown(chat))) {
      this.#insert(chat, { start: -1, stop: -1, line: chat }, session);
    }
    for (const { line } of before) {
      // Contents of the active turn belong under the chat's own key.
      if (isOwn(chat, line) && after.every((span) => span.line !== line)) this.#moveLoose(line, chat);
      await this.#forgetMarks(line);
    }
  }

  /** The line for a new turn at this ordinal. */
  async #lineFor(chat: string, { ordinal, id }: Write<'turn'>): Promise<string> {
    const spans = await this.#spans(chat);
    if (spans === undefined) return chat;
    const here = spans.find(({ start, stop }) => start <= ordinal && ordinal < stop);
    if (here !== undefined && !(await this.#isShownElsewhere(here.line, ordinal, chat))) return here.line;
    const line = await this.#freeLine(chat);
    for (const old of await this.#ownLines(chat)) this.#moveLoose(old, line, id);
    const isLast = spans.every(({ stop }) => stop <= ordinal);
    const own = { start: ordinal, stop: isLast ? END : ordinal + 1, line };
    const left = spans.flatMap((span) =>
      subtract(span, [own]).map((piece) => ({ ...piece, line: span.line })),
    );
    await this.#replace(chat, spans, [...left, own]);
    return line;
  }

  async #lineOfTurn(chat: string, turnId: string | undefined): Promise<string> {
    const spans = await this.#spans(chat);
    if (spans === undefined) return chat;
    for (const { start, stop, line } of spans) {
      const row = await this.#statements.get(
        `SELECT 1 FROM agenthost.turns
         WHERE cell = $1 AND chat = $2 AND id = $3 AND ordinal >= $4 AND ordinal < $5 LIMIT 1`,
        line,
        turnId ?? '',
        start,
        stop,
      );
      if (row !== undefined) return line;
    }
    return spans.find(({ stop }) => stop === END)?.line ?? chat;
  }

  /** The lines that only this chat writes and that it shows, and always the line of its own key. */
  async #ownLines(chat: string): Promise<Set<string>> {
    const lines = ((await this.#spans(chat)) ?? []).map(({ line }) => line);
    return new Set([chat, ...lines.filter((line) => isOwn(chat, line))]);
  }

  /** One more than the highest ordinal of a chat. */
  async #end(spans: readonly Span[]): Promise<number> {
    for (const { start, stop, line } of spans.toReversed()) {
      const row = await this.#statements.get(
        `SELECT ordinal FROM agenthost.turns WHERE cell = $1 AND chat = $2 AND ordinal >= $3 AND ordinal < $4
         ORDER BY ordinal DESC LIMIT 1`,
        line,
        start,
        stop,
      );
      if (row !== undefined) return number(row, 'ordinal') + 1;
    }
    return 0;
  }

  async #sessionOf(chat: string): Promise<string | null> {
    const row = await this.#statements.get(
      'SELECT session FROM agenthost.channels WHERE cell = $1 AND uri = $2',
      chat,
    );
    return (row && optionalText(row, 'session')) ?? null;
  }

  async #homeOf(line: string): Promise<string | null> {
    const row = await this.#statements.get(
      'SELECT home FROM agenthost.spans WHERE cell = $1 AND line = $2 LIMIT 1',
      line,
    );
    return (row && optionalText(row, 'home')) ?? null;
  }

  /** Whether a chat shows any row of a line. */
  async #isShown(line: string): Promise<boolean> {
    const row = await this.#statements.get(
      'SELECT 1 FROM agenthost.spans WHERE cell = $1 AND line = $2 AND start < stop LIMIT 1',
      line,
    );
    return row !== undefined;
  }

  /** Whether a chat other than `chat` shows the row at `ordinal` of a line. */
  async #isShownElsewhere(line: string, ordinal: number, chat: string): Promise<boolean> {
    const row = await this.#statements.get(
      `SELECT 1 FROM agenthost.spans
       WHERE cell = $1 AND line = $2 AND chat <> $3 AND start <= $4 AND stop > $4 LIMIT 1`,
      line,
      chat,
      ordinal,
    );
    return row !== undefined;
  }

  /** A line without rows: the chat's own key if it is free. */
  async #freeLine(chat: string): Promise<string> {
    for (let count = 0; ; count += 1) {
      const line = count === 0 ? chat : `${chat}${MORE}${count}`;
      const row = await this.#statements.get(
        `SELECT 1 FROM agenthost.spans WHERE cell = $1 AND line = $2
         UNION ALL SELECT 1 FROM agenthost.turns WHERE cell = $1 AND chat = $2 LIMIT 1`,
        line,
      );
      if (row === undefined) return line;
    }
  }

  #insert(chat: string, span: Span, session: string | null, home = session): void {
    this.#plain.delete(chat);
    this.#send(
      `INSERT INTO agenthost.spans (cell, chat, start, stop, line, session, home)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (cell, chat, start) DO UPDATE
         SET stop = excluded.stop, line = excluded.line, session = excluded.session, home = excluded.home`,
      chat,
      span.start,
      span.stop,
      span.line,
      session,
      home,
    );
  }

  #dropRows({ line, start, stop, keepsContents }: Span & Dropped): void {
    if (!keepsContents) {
      this.#send(
        `DELETE FROM agenthost.contents WHERE cell = $1 AND chat = $2 AND turn IN
           (SELECT id FROM agenthost.turns WHERE cell = $1 AND chat = $2 AND ordinal >= $3 AND ordinal < $4)`,
        line,
        start,
        stop,
      );
    }
    this.#send(
      'DELETE FROM agenthost.turns WHERE cell = $1 AND chat = $2 AND ordinal >= $3 AND ordinal < $4',
      line,
      start,
      stop,
    );
  }

  /** Deletes contents of a line whose turn (default: any) has no row there. */
  #dropLoose(line: string, turnId?: string): void {
    if (turnId === undefined) {
      this.#send(`DELETE FROM agenthost.contents WHERE cell = $1 AND chat = $2 AND ${LOOSE}`, line);
    } else {
      this.#send(
        `DELETE FROM agenthost.contents WHERE cell = $1 AND chat = $2 AND turn = $3 AND ${LOOSE}`,
        line,
        turnId,
      );
    }
  }

  #moveLoose(line: string, to: string, turnId?: string): void {
    if (turnId === undefined) {
      this.#send(
        `UPDATE agenthost.contents SET chat = $3 WHERE cell = $1 AND chat = $2 AND ${LOOSE}`,
        line,
        to,
      );
    } else {
      this.#send(
        `UPDATE agenthost.contents SET chat = $3 WHERE cell = $1 AND chat = $2 AND turn = $4 AND ${LOOSE}`,
        line,
        to,
        turnId,
      );
    }
  }

  /** Deletes the empty spans of a line that no chat shows. */
  async #forgetMarks(line: string): Promise<void> {
    if (await this.#isShown(line)) return;
    this.#send('DELETE FROM agenthost.spans WHERE cell = $1 AND line = $2 AND start = stop', line);
  }
}

/** Whether a line is written by this chat alone. */
function isOwn(chat: string, line: string): boolean {
  return line !== chat && line.startsWith(chat + MORE);
}
