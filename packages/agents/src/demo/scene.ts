import type { TurnInput, TurnOutput } from '@agenthost/host/agent';
import { type DemoTimers, pause } from './timers.ts';
import type { WorkingFolder } from './working-folder.ts';

/** Returns the next number in [0, 1). */
export type Random = () => number;

/**
 * A generator that gives the same numbers for the same seed on every machine: the FNV-1a hash of the text
 * seeds a mulberry32 generator.
 */
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

/** State shared by the steps of one turn. */
export interface Scene {
  readonly turnId: string;
  readonly output: TurnOutput;
  /** Aborts when the turn is cancelled or the session ends. */
  readonly signal: AbortSignal;
  readonly timers: DemoTimers;
  readonly random: Random;
  /** False: text is sent in one piece, and there are no pauses unless the prompt asks for them. */
  readonly isPaced: boolean;
  readonly folder: WorkingFolder;
  readonly readResource: TurnInput['readResource'];
  /** Session config: files are changed and commands run only after approval. */
  readonly asksBeforeWriting: boolean;
  /** Characters sent so far, for the counted usage. */
  spokenLength: number;
}

/** Shortest and longest pause between two pieces of text, in milliseconds. */
const MIN_PAUSE_MS = 8;
const MAX_PAUSE_MS = 40;
/** Most words of a piece of text. */
const MAX_WORDS_PER_PIECE = 4;

/** Default pause between chunks, in milliseconds. */
export const DEFAULT_EVERY_MS = 20;

/** Sends text as one piece. Resolves when the host can take more. Throws when the turn is cancelled. */
export function send(scene: Scene, kind: 'markdown' | 'reasoning', text: string): Promise<void> {
  scene.signal.throwIfAborted();
  scene.spokenLength += text.length;
  return scene.output[kind](text);
}

/** Streams text a few words at a time, like a model. Rejects when the turn is cancelled. */
export async function speak(scene: Scene, kind: 'markdown' | 'reasoning', text: string): Promise<void> {
  if (!scene.isPaced) return send(scene, kind, text);
  for (const piece of pieces(text, scene.random)) {
    await send(scene, kind, piece);
    await pause(scene.timers, MIN_PAUSE_MS + scene.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS), scene.signal);
  }
}

/** Cuts text between words. The joined pieces are the text. */
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
