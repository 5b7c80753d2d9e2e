import type { ChatToolCallCompleteAction, Message, ToolInput } from '@agenthost/protocol';
import { redactText } from '../../lib/redact.ts';
import type { Attributes } from '../otlp.ts';

/** Most characters of one content in an attribute. */
const MAX_LENGTH = 4_096;

/** Records contents (messages, inputs and results of tools, texts of errors) in attributes, or leaves them out, which is the default. */
export class Contents {
  readonly isRecorded: boolean;

  constructor(isRecorded: boolean) {
    this.isRecorded = isRecorded;
  }

  /** A text of a person or a program, cut to 4,096 characters and without secrets; `undefined`: it is not recorded. */
  text(text: string | undefined): string | undefined {
    if (!this.isRecorded || text === undefined) return undefined;
    // A secret that begins in the kept part ends in this one.
    const shown = redactText(text.slice(0, 2 * MAX_LENGTH));
    return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown;
  }

  /** The message that started a turn. */
  ofMessage({ text }: Message): Attributes {
    const content = this.text(text);
    if (content === undefined) return {};
    return {
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content }] }]),
    };
  }

  /** The input of a tool call. A large one is a reference, of which only the beginning is known. */
  ofInput(input: ToolInput | undefined): Attributes {
    const text = typeof input === 'string' ? input : input?.['x-beginning'];
    return { 'gen_ai.tool.call.arguments': this.text(text) };
  }

  /** The texts of the result of a tool call. */
  ofResult({ result }: ChatToolCallCompleteAction): Attributes {
    const texts = (result.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return { 'gen_ai.tool.call.result': texts.length === 0 ? undefined : this.text(texts.join('\n')) };
  }
}
