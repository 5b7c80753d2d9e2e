import type { ChatInputAnswer, ChatInputOption, ChatInputQuestion } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { InputQuestions, InputResponse } from '../../agents/turn.ts';
import { beginningOf } from '../../lib/beginning-of.ts';

type Json = Readonly<Record<string, unknown>>;

/** Longest message of a question, in UTF-16 code units. The rest is cut. */
const MAX_MESSAGE_LENGTH = 4_000;
/** Longest URL of a question. */
const MAX_URL_LENGTH = 8_000;
/** Longest form, as JSON. */
const MAX_FORM_LENGTH = 64 * 1024;

/**
 * A server's question as an input request; `undefined` if people cannot be asked for one of its required values [CHAT-27], and if it is longer than a
 * person would read.
 */
export function inputQuestions(server: string, params: ElicitRequest['params']): InputQuestions | undefined {
  const message = beginningOf(`${server}: ${params.message}`, MAX_MESSAGE_LENGTH);
  if (params.mode === 'url')
    return params.url.length > MAX_URL_LENGTH ? undefined : { message, url: params.url };
  if (JSON.stringify(params.requestedSchema).length > MAX_FORM_LENGTH) return undefined;
  const { properties, required = [] } = params.requestedSchema;
  const questions: ChatInputQuestion[] = [];
  for (const [id, property] of Object.entries(properties)) {
    const isRequired = required.includes(id);
    const question = questionOf({ id, ...(isRequired ? { required: true } : {}) }, { ...property });
    if (question === undefined && isRequired) return undefined;
    if (question !== undefined) questions.push(question);
  }
  return questions.length === 0 ? { message } : { message, questions };
}

/** The answer of people in the form that the server expects. */
export function elicitResult({ response, answers }: InputResponse): ElicitResult {
  if (response !== 'accept') return { action: response };
  const content = Object.entries(answers).flatMap(([id, answer]) => {
    const value = valueOf(answer);
    return value === undefined ? [] : [[id, value] as const];
  });
  return { action: 'accept', content: Object.fromEntries(content) };
}

function valueOf(answer: ChatInputAnswer): string | number | boolean | string[] | undefined {
  if (answer.state !== 'submitted') return undefined;
  const { value } = answer.value;
  return Array.isArray(value) ? [...new Set(value)] : value;
}

function questionOf(base: { id: string; required?: boolean }, property: Json): ChatInputQuestion | undefined {
  const title = textIn(property, 'title');
  const description = textIn(property, 'description');
  const named = {
    ...base,
    ...(description === undefined ? {} : { title: title ?? base.id }),
    message: description ?? title ?? base.id,
  };
  const { default: initial } = property;
  switch (property['type']) {
    case 'string': {
      const options = optionsOf(property, [initial]);
      if (options !== undefined) return { ...named, kind: 'single-select', options };
      return {
        ...named,
        kind: 'text',
        ...defined({ format: textIn(property, 'format') }),
        ...limitsOf(property, 'minLength', 'maxLength'),
        ...(typeof initial === 'string' ? { defaultValue: initial } : {}),
      };
    }
    case 'number':
    case 'integer':
      return {
        ...named,
        kind: property['type'],
        ...limitsOf(property, 'minimum', 'maximum'),
        ...(typeof initial === 'number' ? { defaultValue: initial } : {}),
      };
    case 'boolean':
      return {
        ...named,
        kind: 'boolean',
        ...(typeof initial === 'boolean' ? { defaultValue: initial } : {}),
      };
    case 'array': {
      const { items } = property;
      const options = isJson(items) ? optionsOf(items, Array.isArray(initial) ? initial : []) : undefined;
      return options === undefined
        ? undefined
        : { ...named, kind: 'multi-select', options, ...limitsOf(property, 'minItems', 'maxItems') };
    }
    default:
      return undefined;
  }
}

/** `undefined`: any text is accepted. */
function optionsOf(property: Json, chosen: readonly unknown[]): ChatInputOption[] | undefined {
  const recommended = (id: string) => (chosen.includes(id) ? { recommended: true } : {});
  const titled: unknown = property['oneOf'] ?? property['anyOf'];
  if (Array.isArray(titled)) {
    return titled.filter(isJson).flatMap((option) => {
      const id = textIn(option, 'const');
      return id === undefined ? [] : { id, label: textIn(option, 'title') ?? id, ...recommended(id) };
    });
  }
  const { enum: values, enumNames } = property;
  if (!Array.isArray(values)) return undefined;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  return values.flatMap((id: unknown, index) => {
    const name = names[index];
    return typeof id === 'string'
      ? { id, label: typeof name === 'string' ? name : id, ...recommended(id) }
      : [];
  });
}

function limitsOf(property: Json, least: string, most: string): { min?: number; max?: number } {
  const { [least]: min, [most]: max } = property;
  return {
    ...(typeof min === 'number' ? { min } : {}),
    ...(typeof max === 'number' ? { max } : {}),
  };
}

function textIn(property: Json, key: string): string | undefined {
  const { [key]: value } = property;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
