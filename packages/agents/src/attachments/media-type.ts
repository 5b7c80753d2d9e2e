import { isUtf8 } from 'node:buffer';

const TEXT_TYPES =
  /^(text\/|application\/(json|jsonl|xml|sql|toml|yaml|javascript|typescript|x-sh)\b|[^;]*\+(json|xml)\b)/;

/** Whether content is given to an agent as text: its type says so, or says nothing, and it is text. */
export function isText(contentType: string, data: Uint8Array): boolean {
  const isUnknown = contentType === '' || contentType === 'application/octet-stream';
  return (isUnknown || TEXT_TYPES.test(contentType)) && isUtf8(data) && !data.includes(0);
}
