import type { JournalWrite } from '../journal.ts';
import { clip, END, type Range, type Span, subtract } from '../spans.ts';
import type { SqliteSearchWriter } from './search-writer.ts';
import { spansOf, toSpan } from './spans.ts';
import { number, optionalText, type Statements } from './statements.ts';

/** Condition on `contents`: the turn has no row on the content's line. */
const LOOSE =
  'NOT EXISTS (SELECT 1 FROM turns WHERE turns.chat = contents.chat AND turns.id = contents.turn)';

/** Separates a chat's URI from a number in the names of its further lines. URIs do not contain it. */
const MORE = ' ';

type Write<Op extends JournalWrite['op']> = Extract<JournalWrite, { op: Op }>;

/** A range of turns to drop, with or without their contents. */
type Dropped = Range & { readonly keepsContents: boolean };

/**
 * Writes turns and their contents. A chat that was never copied, and is no copy, has its turns under its own name and no row in `spans`.
 * A copy consists of spans on the lines of its source, so its cost does not depend on the number of turns. A row and the contents of its
 * turn are deleted with the last span that shows it.
 */
export class SqliteTurnWriter {
  readonly #statements: Statements;
  readonly #search: SqliteSearchWriter;

  constructor(statements: Statements, search: SqliteSearchWriter) {
    this.#statements = statements;
    this.#search = search;
  }

  turn(write: Write<'turn'>): void {
    const row = this.#statements.get(
      `INSERT INTO turns (chat, ordinal, id, bytes, json) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (chat, ordinal) DO UPDATE SET id = excluded.id, bytes = excluded.bytes, json = excluded.json
       RETURNING key`,
      this.#lineFor(write),
      write.ordinal,
      write.id,
      Buffer.byteLength(write.json),
      write.json,
    );
    if (row !== undefined) this.#search.turn(number(row, 'key'), write.json);
  }

  dropTurns({ chat, from: start, to: stop = END, keepsContents }: Write<'dropTurns'>): void {
    this.#drop(chat, { start, stop, keepsContents: keepsContents === true });
  }

  /** Deletes all turns of a chat, their contents and those of its active turn. */
  dropAll(chat: string): void {
    const lines = this.#ownLines(chat);
    this.#drop(chat, { start: 0, stop: END, keepsContents: false });
    for (const line of lines) this.#dropLoose(line);
    // A mark stays while other chats show rows under this name: new turns must not be written there.
    this.#statements.run('DELETE FROM spans WHERE chat = ? AND (start < stop OR line <> chat)', chat);
    for (const line of lines) this.#forgetMarks(line);
  }

  /** Deletes the contents of a turn without a row. */
  dropContents(chat: string, turnId: string): void {
    for (const line of this.#ownLines(chat)) this.#dropLoose(line, turnId);
  }

  copy({ from, to, session, count }: Write<'copyTurns'>): void {
    if (from === to) return;
    this.dropAll(to);
    const whole = { start: 0, stop: END, line: from };
    const spans = spansOf(this.#statements, from);
    const source = spans ?? [whole];
    // Later turns of the source are not part of the copy.
    const copied = clip(source, { start: 0, stop: Math.min(count, this.#end(source)) });
    if (copied.length === 0) return;
    if (spans === undefined) this.#insert(from, whole, this.#sessionOf(from));
    for (const span of copied) this.#insert(to, span, session, this.#homeOf(span.line));
    const start = copied.at(-1)?.stop ?? 0;
    this.#insert(to, { start, stop: END, line: this.#freeLine(to) }, session);
  }

  /** Copies of the chat share its lines, so the contents there name its new session for them too. */
  move({ chat, session }: Write<'moveChat'>): void {
    this.#statements.run('UPDATE spans SET session = ? WHERE chat = ?', session, chat);
    for (const line of this.#ownLines(chat)) {
      this.#statements.run('UPDATE contents SET session = ? WHERE chat = ?', session, line);
      this.#statements.run('UPDATE spans SET home = ? WHERE line = ?', session, line);
    }
  }

  content(write: Write<'content'>): void {
    this.#statements.run(
      `INSERT OR REPLACE INTO contents (id, session, content_type, bytes, data, chat, turn)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      write.id,
      write.session,
      write.contentType,
      write.data.byteLength,
      write.data,
      (write.chat && this.#lineOfTurn(write.chat, write.turnId)) ?? null,
      write.turnId ?? null,
    );
  }

  copyContent(write: Write<'copyContent'>): void {
    this.#statements.run(
      `INSERT OR REPLACE INTO contents (id, session, content_type, bytes, data, chat, turn)
       SELECT ?, ?, content_type, bytes, data, ?, ? FROM contents WHERE id = ?`,
      write.id,
      write.session,
      this.#lineOfTurn(write.chat, write.turnId),
      write.turnId,
      write.from,
    );
  }

  dropSession(session: string): void {
    this.#statements.run(
      `DELETE FROM contents WHERE session = ? AND NOT EXISTS (
         SELECT 1 FROM turns JOIN spans ON line = turns.chat AND start <= ordinal AND stop > ordinal
         WHERE turns.chat = contents.chat AND turns.id = contents.turn AND spans.session <> contents.session)`,
      session,
    );
  }

  #drop(chat: string, range: Dropped): void {
    const spans = spansOf(this.#statements, chat);
    if (spans === undefined) return this.#dropRows({ line: chat, ...range });
    const left = spans.flatMap((span) => this.#dropOf(chat, span, range));
    this.#replace(chat, spans, left);
  }

  /** Drops the turns of a span within a range, and returns the rest of the span. */
  #dropOf(chat: string, span: Span, range: Dropped): Span[] {
    const [dropped] = clip([span], range);
    if (dropped === undefined) return [span];
    const others = this.#statements
      .all('SELECT start, stop, line FROM spans WHERE line = ? AND chat <> ?', span.line, chat)
      .map(toSpan);
    const { keepsContents } = range;
    for (const free of subtract(dropped, others)) this.#dropRows({ ...free, line: span.line, keepsContents });
    // A truncated chat continues on its line, unless turns of other chats follow there.
    const goesOn = dropped.stop === END && others.every(({ stop }) => stop <= dropped.start);
    if (goesOn && dropped.start > span.start) return [span];
    return subtract(span, [dropped]).map((piece) => ({ ...piece, line: span.line }));
  }

  #replace(chat: string, before: readonly Span[], after: readonly Span[]): void {
    const row = this.#statements.get('SELECT session FROM spans WHERE chat = ? LIMIT 1', chat);
    const session = (row && optionalText(row, 'session')) ?? null;
    const homes = new Map(before.map(({ line }) => [line, this.#homeOf(line)]));
    this.#statements.run('DELETE FROM spans WHERE chat = ?', chat);
    for (const span of after) this.#insert(chat, span, session, homes.get(span.line) ?? session);
    const isKnown = after.some(({ line }) => line === chat);
    if (!isKnown && this.#isShown(chat)) {
      this.#insert(chat, { start: -1, stop: -1, line: chat }, session);
    }
    for (const { line } of before) {
      // Contents of the active turn belong under the chat's own name.
      if (isOwn(chat, line) && after.every((span) => span.line !== line)) this.#moveLoose(line, chat);
      this.#forgetMarks(line);
    }
  }

  /** The line for a new turn at this ordinal. */
  #lineFor({ chat, ordinal, id }: Write<'turn'>): string {
    const spans = spansOf(this.#statements, chat);
    if (spans === undefined) return chat;
    const here = spans.find(({ start, stop }) => start <= ordinal && ordinal < stop);
    if (here !== undefined && !this.#isShownElsewhere(here.line, ordinal, chat)) return here.line;
    const line = this.#freeLine(chat);
    for (const old of this.#ownLines(chat)) this.#moveLoose(old, line, id);
    const isLast = spans.every(({ stop }) => stop <= ordinal);
    const own = { start: ordinal, stop: isLast ? END : ordinal + 1, line };
    const left = spans.flatMap((span) =>
      subtract(span, [own]).map((piece) => ({ ...piece, line: span.line })),
    );
    this.#replace(chat, spans, [...left, own]);
    return line;
  }

  #lineOfTurn(chat: string, turnId: string | undefined): string {
    const spans = spansOf(this.#statements, chat);
    if (spans === undefined) return chat;
    const found = spans.find(({ start, stop, line }) =>
      this.#statements.get(
        'SELECT 1 FROM turns WHERE chat = ? AND id = ? AND ordinal >= ? AND ordinal < ?',
        line,
        turnId ?? '',
        start,
        stop,
      ),
    );
    return (found ?? spans.find(({ stop }) => stop === END))?.line ?? chat;
  }

  /** The lines that only this chat writes and that it shows, and always the line of its own name. */
  #ownLines(chat: string): Set<string> {
    const lines = (spansOf(this.#statements, chat) ?? []).map(({ line }) => line);
    return new Set([chat, ...lines.filter((line) => isOwn(chat, line))]);
  }

  /** One more than the highest ordinal of a chat. */
  #end(spans: readonly Span[]): number {
    const last = spans.toReversed().flatMap(({ start, stop, line }) => {
      const row = this.#statements.get(
        'SELECT ordinal FROM turns WHERE chat = ? AND ordinal >= ? AND ordinal < ? ORDER BY ordinal DESC LIMIT 1',
        line,
        start,
        stop,
      );
      return row === undefined ? [] : [number(row, 'ordinal') + 1];
    });
    return last[0] ?? 0;
  }

  #sessionOf(chat: string): string | null {
    const row = this.#statements.get('SELECT session FROM channels WHERE uri = ?', chat);
    return (row && optionalText(row, 'session')) ?? null;
  }

  #homeOf(line: string): string | null {
    const row = this.#statements.get('SELECT home FROM spans WHERE line = ? LIMIT 1', line);
    return (row && optionalText(row, 'home')) ?? null;
  }

  /** Whether a chat shows any row of a line. */
  #isShown(line: string): boolean {
    const row = this.#statements.get('SELECT 1 FROM spans WHERE line = ? AND start < stop LIMIT 1', line);
    return row !== undefined;
  }

  /** Whether a chat other than `chat` shows the row at `ordinal` of a line. */
  #isShownElsewhere(line: string, ordinal: number, chat: string): boolean {
    const row = this.#statements.get(
      'SELECT 1 FROM spans WHERE line = ? AND chat <> ? AND start <= ? AND stop > ? LIMIT 1',
      line,
      chat,
      ordinal,
      ordinal,
    );
    return row !== undefined;
  }

  /** A line without rows: the chat's own name if it is free. */
  #freeLine(chat: string): string {
    for (let count = 0; ; count += 1) {
      const line = count === 0 ? chat : `${chat}${MORE}${count}`;
      const row =
        this.#statements.get('SELECT 1 FROM spans WHERE line = ? LIMIT 1', line) ??
        this.#statements.get('SELECT 1 FROM turns WHERE chat = ? LIMIT 1', line);
      if (row === undefined) return line;
    }
  }

  #insert(chat: string, span: Span, session: string | null, home = session): void {
    this.#statements.run(
      'INSERT OR REPLACE INTO spans (chat, start, stop, line, session, home) VALUES (?, ?, ?, ?, ?, ?)',
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
      this.#statements.run(
        `DELETE FROM contents WHERE chat = ? AND turn IN
           (SELECT id FROM turns WHERE chat = ? AND ordinal >= ? AND ordinal < ?)`,
        line,
        line,
        start,
        stop,
      );
    }
    this.#search.dropTurns(line, start, stop);
    this.#statements.run(
      'DELETE FROM turns WHERE chat = ? AND ordinal >= ? AND ordinal < ?',
      line,
      start,
      stop,
    );
  }

  /** Deletes contents of a line whose turn (default: any) has no row there. */
  #dropLoose(line: string, turnId?: string): void {
    if (turnId === undefined) {
      this.#statements.run(`DELETE FROM contents WHERE chat = ? AND ${LOOSE}`, line);
    } else {
      this.#statements.run(`DELETE FROM contents WHERE chat = ? AND turn = ? AND ${LOOSE}`, line, turnId);
    }
  }

  #moveLoose(line: string, to: string, turnId?: string): void {
    if (turnId === undefined) {
      this.#statements.run(`UPDATE contents SET chat = ? WHERE chat = ? AND ${LOOSE}`, to, line);
    } else {
      this.#statements.run(
        `UPDATE contents SET chat = ? WHERE chat = ? AND turn = ? AND ${LOOSE}`,
        to,
        line,
        turnId,
      );
    }
  }

  /** Deletes the empty spans of a line that no chat shows. */
  #forgetMarks(line: string): void {
    if (this.#isShown(line)) return;
    this.#statements.run('DELETE FROM spans WHERE line = ? AND start = stop', line);
  }
}

/** Whether a line is written by this chat alone. */
function isOwn(chat: string, line: string): boolean {
  return line !== chat && line.startsWith(chat + MORE);
}
