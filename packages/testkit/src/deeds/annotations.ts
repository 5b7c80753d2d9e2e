import type { Annotation, AnnotationsState, ClientAction } from '@agenthost/protocol';
import type { SeededRandom } from '../seeded-random.ts';

const DEEDS = {
  set: 4,
  replace: 1,
  resolve: 2,
  move: 1,
  write: 3,
  removeEntry: 2,
  remove: 1,
  /** Always rejected. */
  empty: 0.5,
  foreign: 0.5,
} as const;

/** Above this number, an annotation is removed instead of made. */
const MOST = 8;

/** URI of a file that no host can read, so that no run depends on the files of this machine. */
const fileUri = (random: SeededRandom): string => `file:///no-such-folder/${random.int(4)}.ts`;

/** A comment on a file or on lines of it, an answer, or another action of a reader on the annotations of a session. */
export function annotationAction(
  random: SeededRandom,
  { annotations }: AnnotationsState,
  session: string,
): ClientAction {
  // Some know an annotation that is gone.
  const known = annotations.length > 0 && random.chance(0.95) ? random.pick(annotations) : undefined;
  const annotationId = known?.id ?? `gone-${random.hex(2)}`;
  const deed = random.weighted(DEEDS);
  switch (deed) {
    case 'set':
      return annotations.length >= MOST
        ? { type: 'annotations/removed', annotationId }
        : { type: 'annotations/set', annotation: newAnnotation(random, session) };
    case 'replace':
      return {
        type: 'annotations/set',
        annotation: { ...newAnnotation(random, session), id: annotationId },
      };
    case 'resolve':
      return { type: 'annotations/updated', annotationId, resolved: random.chance(0.6) };
    case 'move':
      return { type: 'annotations/updated', annotationId, resource: fileUri(random), range: range(random) };
    case 'write': {
      const id = random.chance(0.6) ? random.hex(4) : entryOf(random, known);
      return { type: 'annotations/entrySet', annotationId, entry: { id, text: random.hex(6) } };
    }
    case 'removeEntry': {
      return { type: 'annotations/entryRemoved', annotationId, entryId: entryOf(random, known) };
    }
    case 'remove':
      return { type: 'annotations/removed', annotationId };
    case 'empty':
      return { type: 'annotations/set', annotation: { ...newAnnotation(random, session), entries: [] } };
    case 'foreign': {
      const origin = { session: 'ahp-session:/nobody' };
      return random.chance(0.5)
        ? { type: 'annotations/set', annotation: { ...newAnnotation(random, session), origin } }
        : { type: 'annotations/updated', annotationId, origin };
    }
    default:
      return deed satisfies never;
  }
}

/** An entry of an annotation. A client shows one without entries until the host has rejected it. */
const entryOf = (random: SeededRandom, { entries }: Pick<Annotation, 'entries'> = { entries: [] }): string =>
  entries.length === 0 ? 'gone' : random.pick(entries).id;

const newAnnotation = (random: SeededRandom, session: string): Annotation => ({
  id: `annotation-${random.hex(6)}`,
  origin: { session },
  resource: fileUri(random),
  ...(random.chance(0.5) ? { range: range(random) } : {}),
  resolved: random.chance(0.1),
  entries: Array.from({ length: random.between(1, 3) }, () => ({ id: random.hex(4), text: random.hex(6) })),
});

function range(random: SeededRandom): NonNullable<Annotation['range']> {
  const line = random.int(20);
  return {
    start: { line, character: 0 },
    end: { line: line + random.int(3), character: random.int(5) },
  };
}
