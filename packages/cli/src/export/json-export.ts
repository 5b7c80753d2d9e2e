import { createReadStream } from 'node:fs';
import { type ExportPart, type ImportedTurn, type ImportSource, presentSource } from '@agenthost/client';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportedChatHead,
  type ExportedOpenTurn,
  type ExportedSession,
  type ExportedTurn,
} from '@agenthost/protocol';
import { CliError, EXIT } from '../process/exit.ts';
import { fileTrouble } from '../process/files.ts';
import { harmlessJson, oneLine } from '../render/plain-text.ts';
import { JsonReader, NotJson } from './json-reader.ts';

/** An export as one JSON document, in pieces as they come; each turn is a line of its own. */
export async function* jsonDocument(
  parts: AsyncIterable<ExportPart>,
): AsyncGenerator<string, void, undefined> {
  let chatCount = 0;
  // Text that closes the last chat.
  let end = '';
  let turnCount = 0;
  for await (const part of parts) {
    switch (part.type) {
      case 'session':
        yield `${withoutEnd(part.head)},\n"chats": [`;
        break;
      case 'chat':
        yield `${end}${chatCount > 0 ? ',' : ''}\n${withoutEnd(part.chat)},\n"turns": [`;
        chatCount += 1;
        turnCount = 0;
        end = '\n]}';
        break;
      case 'turn':
        yield `${turnCount > 0 ? ',' : ''}\n${harmlessJson(part.turn)}`;
        turnCount += 1;
        break;
      case 'openTurn':
        yield `\n],\n"openTurn": ${harmlessJson(part.turn)}`;
        end = '}';
        break;
    }
  }
  yield `${end}\n]}\n`;
}

const withoutEnd = (value: object): string => harmlessJson(value).slice(0, -1);

/** An export in a file, as it can be brought to a host, and how many turns it has. */
export interface ExportFile extends ImportSource {
  readonly turnCount: number;
}

/**
 * Reads an export, all but its turns: those are read when they are sent, so that any number of them fits. Rejects with a `CliError` for
 * what is no export, or one that a newer agenthost wrote, which calls it by `name`. What the host checks is not checked here.
 */
export async function readExport(path: string, name = path): Promise<ExportFile> {
  const found: Record<string, unknown> = {};
  const chats: unknown[] = [];
  let turnCount = 0;
  await reading({ path, name }, async (reader) => {
    for await (const name of reader.fields()) {
      if (name !== 'chats') {
        found[name] = await reader.value();
        continue;
      }
      for await (const _ of reader.items()) {
        const head: Record<string, unknown> = {};
        for await (const field of reader.fields()) {
          if (field === 'turns') {
            for await (const __ of reader.items()) {
              await reader.skip();
              turnCount += 1;
            }
          } else if (field === 'openTurn') {
            await reader.skip();
            turnCount += 1;
          } else head[field] = await reader.value();
        }
        chats.push(head);
      }
    }
    await reader.end();
    checkFormat(name, found);
  });
  const { session } = found;
  if (!isSession(session)) throw notAnExport(name, 'it has no session');
  const heads = chats.filter(isChat);
  if (heads.length < chats.length) throw notAnExport(name, 'a chat in it has no URI');
  const version = found['version'] === 1 ? 1 : EXPORT_VERSION;
  try {
    const source = await presentSource({ version, session, chats: heads, turns: turnsIn(path, heads) });
    return { ...source, turnCount };
  } catch (error) {
    if (error instanceof TypeError) throw notAnExport(name, error.message);
    throw error;
  }
}

// The host checks every field [WIRE-3]; these see that there is something to be checked.
const isSession = (value: unknown): value is ExportedSession => typeof value === 'object' && value !== null;
const isChat = (value: unknown): value is ExportedChatHead =>
  typeof value === 'object' && value !== null && 'resource' in value && typeof value.resource === 'string';
const isTurn = (value: unknown): value is ExportedTurn & ExportedOpenTurn =>
  typeof value === 'object' &&
  value !== null &&
  'turn' in value &&
  typeof value.turn === 'object' &&
  value.turn !== null;

/** The turns of a file in its order, the open one of each chat last. */
async function* turnsIn(
  path: string,
  chats: readonly ExportedChatHead[],
): AsyncGenerator<ImportedTurn, void, undefined> {
  const reader = new JsonReader(chunksOf(path));
  for await (const name of reader.fields()) {
    if (name !== 'chats') {
      await reader.skip();
      continue;
    }
    let index = 0;
    for await (const _ of reader.items()) {
      const chat = chats[index]?.resource ?? '';
      index += 1;
      let openTurn: unknown;
      for await (const field of reader.fields()) {
        if (field === 'openTurn') openTurn = await reader.value();
        else if (field !== 'turns') await reader.skip();
        else
          for await (const __ of reader.items()) {
            const turn = await reader.value();
            if (!isTurn(turn)) throw notAnExport(path, `${oneLine(chat)} has an invalid turn`);
            yield { chat, turn };
          }
      }
      if (openTurn === undefined) continue;
      if (!isTurn(openTurn)) throw notAnExport(path, `${oneLine(chat)} has an invalid open turn`);
      yield { chat, openTurn };
    }
  }
}

function checkFormat(path: string, { format, version }: Readonly<Record<string, unknown>>): void {
  if (format !== EXPORT_FORMAT) throw notAnExport(path, `its format is not ${EXPORT_FORMAT}`);
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw notAnExport(path, 'its version is not a number');
  if (version > EXPORT_VERSION) {
    const message = `${oneLine(path)} has version ${version} of the format, and this agenthost reads up to ${EXPORT_VERSION}: update agenthost`;
    throw new CliError(EXIT.error, message);
  }
}

async function reading(
  { path, name }: { path: string; name: string },
  read: (reader: JsonReader) => Promise<void>,
): Promise<void> {
  try {
    await read(new JsonReader(chunksOf(path)));
  } catch (cause) {
    if (cause instanceof NotJson)
      throw notAnExport(name, (await isOfAnotherForm(path)) ? ONLY_JSON : cause.message, cause);
    if (cause instanceof Error && 'syscall' in cause) {
      throw new CliError(EXIT.error, `${oneLine(name)} cannot be read: ${fileTrouble(cause)}`, { cause });
    }
    throw cause;
  }
}

const ONLY_JSON = 'only JSON can be imported, which `export` writes by default';

/** Whether a text does not even begin as JSON does: the pages that are to be read, most likely. */
async function isOfAnotherForm(path: string): Promise<boolean> {
  for await (const chunk of chunksOf(path)) return !/^\s*(?:[{[]|$)/.test(chunk);
  return false;
}

const notAnExport = (path: string, why: string, cause?: unknown): CliError =>
  new CliError(EXIT.error, `${oneLine(path)} is not a session export (JSON): ${oneLine(why)}`, { cause });

async function* chunksOf(path: string): AsyncGenerator<string, void, undefined> {
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    yield String(chunk);
  }
}
