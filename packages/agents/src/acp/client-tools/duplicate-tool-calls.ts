import type { ClientTool } from '@agenthost/host/agent';
import type { ToolCallFields } from '../session/session-update.ts';
import { isCallOf, isSurelyCallOf } from './client-tool-forms.ts';

interface Duplicate {
  readonly tool: ClientTool;
  /** As it was announced: later it may get another title, but not be another tool. */
  readonly title: string | undefined;
  fields: ToolCallFields;
  isClaimed: boolean;
  isShown: boolean;
}

/**
 * Agents announce what they call of the host's own tool server as calls of theirs. The host shows the client's call in their place, so
 * such a duplicate is kept back until it is clear that there is none: it ended, or the turn did, and nothing came for it.
 */
export class DuplicateToolCalls {
  readonly #tools: () => readonly ClientTool[];
  readonly #duplicates = new Map<string, Duplicate>();
  /** Calls that came before they were announced, by name. */
  readonly #early = new Map<string, number>();
  /** Names of tools that the agent has asked about without a person: people are asked about every call that comes of them. */
  readonly #asked = new Set<string>();

  constructor(tools: () => readonly ClientTool[]) {
    this.#tools = tools;
  }

  /** What of an announcement or update there is to show as the agent's own; `undefined`: nothing. */
  shown(fields: ToolCallFields): ToolCallFields | undefined {
    const duplicate = this.#duplicates.get(fields.toolCallId) ?? this.#begin(fields, true);
    if (duplicate === undefined || duplicate.isShown) return fields;
    duplicate.fields = merged(duplicate.fields, fields);
    const title = duplicate.title === undefined ? {} : { title: duplicate.title };
    const isSame = isCallOf(duplicate.tool, { ...duplicate.fields, ...title });
    if (isSame && (!isEnd(fields) || duplicate.isClaimed)) return undefined;
    duplicate.isShown = true;
    return duplicate.fields;
  }

  /**
   * Takes a question of the agent. `undefined`: it can be about nothing but a client's tool, and a person is asked about the client's call
   * once it comes. Else what a person is to be asked about.
   */
  asks(fields: ToolCallFields): ToolCallFields | undefined {
    const known = this.#duplicates.get(fields.toolCallId);
    if (known?.isShown === true) return fields;
    const all = merged(known?.fields, fields);
    const tool = this.#tools().find((each) => isSurelyCallOf(each, all));
    if (tool === undefined || (known !== undefined && known.tool.name !== tool.name)) {
      if (known !== undefined) known.isShown = true;
      return all;
    }
    const duplicate = known ?? this.#begin(all, false);
    if (duplicate === undefined) return all;
    duplicate.fields = all;
    // Agents ask before they call: what has come so far was another call.
    duplicate.isClaimed = false;
    this.#asked.add(tool.name);
    return undefined;
  }

  /**
   * A call that shows already says more of itself. Qwen Code asks about a server's tool without saying whose it is, so that its question
   * is a call of its own; only when it is over it turns out that the client's call came for it.
   */
  sawShown(fields: ToolCallFields): void {
    if (!isEnd(fields)) return;
    const name = this.#tools().find((tool) => isCallOf(tool, fields))?.name;
    const earlyCount = this.#early.get(name ?? '') ?? 0;
    if (name !== undefined && earlyCount > 0) this.#early.set(name, earlyCount - 1);
  }

  /** The client's call has come. True when the agent has asked whether it may, and no person has answered. */
  claim(name: string): boolean {
    const duplicate = [...this.#duplicates.values()].find(
      (each) => each.tool.name === name && !each.isClaimed && !each.isShown,
    );
    if (duplicate === undefined) this.#early.set(name, (this.#early.get(name) ?? 0) + 1);
    else duplicate.isClaimed = true;
    return this.#asked.has(name);
  }

  /** The turn is over: what was kept back and nothing came for, to show now. */
  end(): ToolCallFields[] {
    const left = [...this.#duplicates.values()].filter(({ isClaimed, isShown }) => !isClaimed && !isShown);
    for (const duplicate of left) duplicate.isShown = true;
    return left.map(({ fields }) => fields);
  }

  #begin(fields: ToolCallFields, mayHaveCome: boolean): Duplicate | undefined {
    const tool = this.#tools().find((each) => isCallOf(each, fields));
    if (tool === undefined) return undefined;
    const earlyCount = mayHaveCome ? (this.#early.get(tool.name) ?? 0) : 0;
    const isClaimed = earlyCount > 0;
    if (isClaimed) this.#early.set(tool.name, earlyCount - 1);
    const duplicate = { tool, title: fields.title, fields, isClaimed, isShown: false };
    this.#duplicates.set(fields.toolCallId, duplicate);
    return duplicate;
  }
}

const isEnd = ({ status }: ToolCallFields): boolean => status === 'completed' || status === 'failed';

const merged = (known: ToolCallFields | undefined, fields: ToolCallFields): ToolCallFields => ({
  ...known,
  ...fields,
  meta: { ...known?.meta, ...fields.meta },
});
