/** About how long a value is as JSON: its characters and those of its keys, and eight for each value. Whatever the limits of texts are. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return 8 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let length = 8;
  if (Array.isArray(value)) for (const member of value) length += textLength(member);
  else for (const [key, member] of Object.entries(value)) length += key.length + textLength(member);
  return length;
}
