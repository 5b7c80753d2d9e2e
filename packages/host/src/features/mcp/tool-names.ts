import { createHash } from 'node:crypto';

/** Longest name for models: several model APIs refuse longer ones. */
const MAX_NAME = 64;

/** A tool before it has a name for agents. */
export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * Names for agents, in the order of the tools: `<server>__<tool>`, with other characters than letters, digits, `_` and `-` replaced. A name that
 * is too long or taken gets a suffix that depends only on server and tool, so that it stays the same while other servers come and go.
 */
export function toolNames(tools: readonly NamedTool[]): string[] {
  const taken = new Set<string>();
  return tools.map(({ server, tool }) => {
    const plain = `${server}__${tool}`.replace(/[^\w-]/g, '_');
    const mark = `_${createHash('sha256')
      .update(JSON.stringify([server, tool]))
      .digest('hex')
      .slice(0, 6)}`;
    const name =
      plain.length > MAX_NAME || taken.has(plain)
        ? `${plain.slice(0, MAX_NAME - mark.length)}${mark}`
        : plain;
    taken.add(name);
    return name;
  });
}
