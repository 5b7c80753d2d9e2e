import type { ChatInputAnswer, ChatInputOption, ChatInputQuestion } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type JsonObject, numberOf, objectOf, objectsOf, stringOf, textOf } from '../json.ts';

/** A form that cannot be shown to people. */
export class UnknownForm extends Error {
  override readonly name = 'UnknownForm';
}

/**
 * Converts the properties of an elicitation's schema to questions, in the schema's order; the name of a
 * property is the id of its question. Properties of unknown types are left out. Throws `UnknownForm` when
 * such a property is required.
 */
export function readQuestions(schema: JsonObject): ChatInputQuestion[] {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(objectOf(schema['properties'])).flatMap(([id, property]) => {
    const isRequired = required.includes(id);
    const question = readQuestion({ id, ...(isRequired ? { required: true } : {}) }, objectOf(property));
    if (question === undefined && isRequired) {
      throw new UnknownForm(`the required property "${id}" has a type that people cannot be asked for`);
    }
    return question ?? [];
  });
}

/** The submitted answers in the form of the schema. Unanswered questions are left out. */
export function contentOf(
  answers: Readonly<Record<string, ChatInputAnswer>>,
): Record<string, string | number | boolean | string[]> {
  const given = Object.entries(answers).flatMap(([id, answer]) => {
    if (answer.state !== 'submitted') return [];
    const { value } = answer.value;
    return [[id, Array.isArray(value) ? [...new Set(value)] : value] as const];
  });
  return Object.fromEntries(given);
}

function readQuestion(
  base: { id: string; required?: boolean },
  property: JsonObject,
): ChatInputQuestion | undefined {
  const title = textOf(property['title']);
  const description = textOf(property['description']);
  const named = {
    ...base,
    // With both, the title is the short text. A bare property uses its name.
    ...(description === undefined ? {} : { title: title ?? base.id }),
    message: description ?? title ?? base.id,
  };
  const initial = property['default'];
  const numeric = numberOf(initial);
  const format = textOf(property['format']);
  switch (property['type']) {
    case 'string': {
      const options = readOptions(property, [initial]);
      return options === undefined
        ? {
            ...named,
            kind: 'text',
            message: withPattern(named.message, property['pattern']),
            ...defined({ format }),
            ...limits(property['minLength'], property['maxLength']),
            ...(typeof initial === 'string' ? { defaultValue: initial } : {}),
          }
        : { ...named, kind: 'single-select', options };
    }
    case 'number':
    case 'integer':
      return {
        ...named,
        kind: property['type'],
        ...limits(property['minimum'], property['maximum']),
        ...defined({ defaultValue: numeric }),
      };
    case 'boolean':
      return {
        ...named,
        kind: 'boolean',
        ...(typeof initial === 'boolean' ? { defaultValue: initial } : {}),
      };
    case 'array': {
      const options = readOptions(objectOf(property['items']), Array.isArray(initial) ? initial : []);
      return options === undefined
        ? undefined
        : {
            ...named,
            kind: 'multi-select',
            options,
            ...limits(property['minItems'], property['maxItems']),
          };
    }
    default:
      return undefined;
  }
}

/** `undefined` when there are no options, so that any text is accepted. */
function readOptions(property: JsonObject, chosen: readonly unknown[]): ChatInputOption[] | undefined {
  const titled = [property['oneOf'], property['anyOf']].find((list) => Array.isArray(list));
  const recommended = (id: string) => (chosen.includes(id) ? { recommended: true } : {});
  if (titled !== undefined) {
    return objectsOf(titled).flatMap((option) => {
      const id = stringOf(option['const']);
      if (id === undefined) return [];
      const description = textOf(option['description']);
      return {
        id,
        label: textOf(option['title']) ?? id,
        ...defined({ description }),
        ...recommended(id),
      };
    });
  }
  if (!Array.isArray(property['enum'])) return undefined;
  // Titles separate from the values, as in older schemas.
  const names: readonly unknown[] = Array.isArray(property['enumNames']) ? property['enumNames'] : [];
  return property['enum'].flatMap((value: unknown, index) =>
    typeof value === 'string'
      ? { id: value, label: textOf(names[index]) ?? value, ...recommended(value) }
      : [],
  );
}

/** The agent checks the answer against the pattern, so people must see it. */
const withPattern = (message: string, pattern: unknown): string =>
  typeof pattern === 'string' && pattern !== '' ? `${message} (has to match ${pattern})` : message;

function limits(min: unknown, max: unknown): { min?: number; max?: number } {
  const [least, most] = [numberOf(min), numberOf(max)];
  return { ...defined({ min: least, max: most }) };
}
