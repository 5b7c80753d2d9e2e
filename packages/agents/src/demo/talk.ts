import { DEFAULT_EVERY_MS, type Scene, send, speak } from './scene.ts';
import { keywordTable } from './script.ts';
import { pause } from './timers.ts';

/** Answers plain talk: repeats it and says what else the agent can do. */
export async function answer(scene: Scene, talk: readonly string[], nickname: string): Promise<void> {
  const quoted = talk.map((line) => `> ${line}`).join('\n');
  await speak(scene, 'reasoning', 'The message has no keyword, so this is a conversation.');
  await speak(
    scene,
    'markdown',
    [
      talk.length === 0
        ? 'Hello! The message was empty. Here is what you can say.'
        : `You said:\n\n${quoted}`,
      `**This is the demo agent**${nickname === '' ? '' : `, ${nickname}`}: it follows a script, needs no network, and knows these prompts:`,
      keywordTable(),
      'Several lines make several steps.',
    ].join('\n\n'),
  );
}

/** Responds to talk in a steering message. */
export async function understand(scene: Scene, talk: readonly string[]): Promise<void> {
  const quoted = talk.map((line) => `> ${line}`).join('\n');
  await speak(scene, 'markdown', `Understood, from here on:\n\n${quoted}\n\n`);
}

/** Characters of each event that are repeated (its end), in UTF-16 code units. */
const HEARD_LENGTH = 2_000;

/** Repeats the context of the message in one piece, because it may be long. */
export async function hear(scene: Scene, context: readonly string[]): Promise<void> {
  const heard = context.map((text) =>
    text.length <= HEARD_LENGTH ? text : `… ${text.slice(-HEARD_LENGTH)}`,
  );
  await send(scene, 'reasoning', `Meanwhile:\n\n${heard.join('\n\n')}\n\n`);
}

/** `reason`: with a default text when none is given. */
export async function reason(scene: Scene, text: string): Promise<void> {
  await speak(
    scene,
    'reasoning',
    text === ''
      ? 'First the question is read. Then it is taken apart. Then there is an answer, and it is short.'
      : text,
  );
}

/** `stream`: numbered chunks, so that a missing one is noticed. */
export async function stream(
  scene: Scene,
  step: { chunkCount: number; everyMs: number | undefined; chunkBytes: number | undefined },
): Promise<void> {
  const everyMs = step.everyMs ?? (scene.isPaced ? DEFAULT_EVERY_MS : 0);
  for (let number = 1; number <= step.chunkCount; number += 1) {
    await send(scene, 'markdown', chunk(number, step.chunkBytes));
    if (everyMs > 0) await pause(scene.timers, everyMs, scene.signal);
  }
}

function chunk(number: number, bytes: number | undefined): string {
  if (bytes === undefined) return `[${number}] and on it goes. `;
  return `[${number}] `.padEnd(bytes, 'lorem ipsum dolor sit amet ').slice(0, Math.max(bytes, 1));
}

/** `parts`: adjacent parts differ in kind, so that each becomes a part of its own. */
export async function parts(scene: Scene, partCount: number): Promise<void> {
  for (let number = 1; number <= partCount; number += 1) {
    await send(scene, number % 2 === 1 ? 'markdown' : 'reasoning', `Part ${number} of ${partCount}.`);
  }
}
