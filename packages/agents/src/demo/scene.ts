import type { TurnInput, TurnOutput } from '@agenthost/host/agent';
import { type DemoTimers, pause } from './timers.ts';
import type { WorkingFolder } from './working-folder.ts';

/** Gives the next number in [0, 1). */
export type Random = () => number;

/** The same seed gives the same numbers on every machine: FNV-1a of the text starts a mulberry32 generator. */
export function seededRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (let index = 0; index < seed.length; index += 1) {
    state = Math.imul(state ^ seed.charCodeAt(index), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What the steps of one turn share. */
export interface Scene {
  readonly turnId: string;
  readonly output: TurnOutput;
  /** Aborts when the turn is cancelled or the session ends. */
  readonly signal: AbortSignal;
  readonly timers: DemoTimers;
  readonly random: Random;
  /** False: text goes out in one piece and nothing pauses unless the prompt asks for it. */
  readonly isPaced: boolean;
  readonly folder: WorkingFolder;
  readonly readResource: TurnInput['readResource'];
  /** Session config: files are changed and commands run only after approval. */
  readonly asksBeforeWriting: boolean;
  /** Characters said so far, for the counted usage. */
  spokenLength: number;
}

/** Shortest and longest pause between two pieces of talk. */
const MIN_PAUSE_MS = 8;
const MAX_PAUSE_MS = 40;
/** Talk comes in pieces of one to this many words. */
const MAX_WORDS_PER_PIECE = 4;

/** Pause between chunks whose prompt names none. */
export const DEFAULT_EVERY_MS = 20;

/** Sends text as one piece; resolves when the host takes more. Throws when the turn is cancelled. */
export function send(scene: Scene, kind: 'markdown' | 'reasoning', text: string): Promise<void> {
  scene.signal.throwIfAborted();
  scene.spokenLength += text.length;
  return scene.output[kind](text);
}

/** Streams text as a model would, a few words at a time. Rejects when the turn is cancelled. */
export async function speak(scene: Scene, kind: 'markdown' | 'reasoning', text: string): Promise<void> {
  if (!scene.isPaced) return send(scene, kind, text);
  for (const piece of pieces(text, scene.random)) {
    await send(scene, kind, piece);
    await pause(scene.timers, MIN_PAUSE_MS + scene.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS), scene.signal);
  }
}

/** Cuts text between words; the pieces joined are the text. */
export function pieces(text: string, random: Random): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text]);
  const found: string[] = [];
  for (let index = 0; index < words.length; ) {
    const wordCount = 1 + Math.floor(random() * MAX_WORDS_PER_PIECE);
    found.push(words.slice(index, index + wordCount).join(''));
    index += wordCount;
  }
  return found;
}
